// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/requantizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/convert/calibration.h"
#include "core/evenly_spaced.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/fix/calibration_choice.h"
#include "layers/capture/capture.h"
#include "layers/pairing/pairing.h"
#include "pipeline/prepare.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostLookedAt = 400, kMostCalibrating = 100, kAtOnce = 8;
constexpr std::size_t kCaptureBudget = std::size_t{256} << 20;

fix::Range range_of(const std::vector<float>& values) {
  fix::Range range;  // Ranges of codes always include 0.
  for (const float value : values) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

/// ai-edge-quantizer searches for this expression in the names of an operator's outputs, each
/// followed by a semicolon.
std::string expression_of(const std::string& name) {
  std::string text = "(^|;)";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + ";";
}

/// static_wi8_ai8: the recipe of `convert --to int8` without a file.
ordered_json usual_recipe() {
  return {
      {"regex", ".*"},
      {"operation", "*"},
      {"algorithm_key", "min_max_uniform_quantize"},
      {"op_config",
       {{"activation_tensor_config",
         {{"num_bits", 8}, {"symmetric", false}, {"granularity", "TENSORWISE"}, {"dtype", "INT"}}},
        {"weight_tensor_config",
         {{"num_bits", 8}, {"symmetric", true}, {"granularity", "CHANNELWISE"}, {"dtype", "INT"}}},
        {"compute_precision", "INTEGER"},
        {"explicit_dequantize", false},
        {"skip_checks", false},
        {"min_weight_elements", 0}}}};
}

}  // namespace

Result<Requantizer> Requantizer::open(const pipeline::PipelineSpec& spec, std::string python,
                                      const Control& control) {
  EP_TRY(auto reference, pipeline::open(spec, control));
  const std::string shown =
      "the reference '" + sanitized(spec.model.filename().string(), 100) + "'";
  const auto format = model::format_of(reference.graph);
  if (!format)
    return Error{ErrorKind::kUnsupported, shown + " is of format " + reference.graph.format +
                                              "; .onnx and .tflite can be quantised"};
  if (layers::rounds_to_codes(reference.graph) || reference.input().dtype != DType::kFloat32)
    return Error{ErrorKind::kUnsupported,
                 shown + " is quantised itself; a float model is what can be quantised again"};
  if (!reference.has_recipe())
    return Error{ErrorKind::kUnsupported,
                 "the reference's pre-processing is a Python function; calibration needs a recipe "
                 "(--reference-recipe)"};
  EP_TRY(auto scratch, ScratchFolder::make());
  return Requantizer(std::move(reference), *format, std::move(python), std::move(scratch));
}

std::string Requantizer::recipe() const { return preprocess::to_text(reference_.recipe); }

Result<std::vector<std::string>> Requantizer::calibrate(const std::vector<dataset::Sample>& samples,
                                                        Terminal& terminal) {
  const std::vector<int> tensors = model::capturable(reference_.graph);
  std::vector<const dataset::Sample*> looked_at;
  std::vector<std::vector<fix::Range>> ranges;
  std::vector<std::vector<Tensor>> inputs;
  std::vector<const dataset::Sample*> waiting;
  const auto measure = [&]() -> Status {
    EP_TRY(const auto held,
           layers::capture(reference_, inputs, tensors, kCaptureBudget, terminal.control()));
    for (std::size_t frame = 0; frame < inputs.size(); ++frame) {
      std::vector<fix::Range>& of_sample = ranges.emplace_back();
      for (const int tensor : tensors) {
        const auto values = layers::real(held.values, tensor, frame);
        of_sample.push_back(values ? range_of(*values) : fix::Range{});
      }
      looked_at.push_back(waiting[frame]);
    }
    inputs.clear();
    waiting.clear();
    return {};
  };
  for (const std::size_t i : evenly_spaced(samples.size(), kMostLookedAt)) {
    if (terminal.stopped()) return interrupted();
    const auto loaded = samples[i].load();
    if (!loaded) continue;
    auto prepared =
        pipeline::prepare(reference_, loaded->input, samples[i].name, terminal.control());
    if (!prepared) continue;
    inputs.push_back(std::move(prepared->inputs));
    waiting.push_back(&samples[i]);
    if (inputs.size() == kAtOnce) EP_CHECK(measure());
  }
  if (!inputs.empty()) EP_CHECK(measure());

  std::vector<dataset::Sample> chosen;
  std::vector<std::string> names;
  for (const std::size_t i : fix::covering_samples(ranges, kMostCalibrating)) {
    chosen.push_back(*looked_at[i]);
    names.push_back(looked_at[i]->name);
  }
  EP_CHECK(check_float(reference_.session->inputs()));
  EP_TRY(frames_,
         write_calibration(reference_, chosen, scratch_.path() / "calibration.bin", terminal));
  return names;
}

std::string Requantizer::name_of(int layer) const {
  const std::vector<model::Layer>& all = reference_.graph.layers;
  const std::string& name = all[at(layer)].name;
  const bool unique = std::count_if(all.begin(), all.end(), [&](const model::Layer& other) {
                        return other.name == name;
                      }) == 1;
  return format_ == model::Format::kOnnx && !name.empty() && unique
             ? name
             : layers::output_name(reference_.graph, layer);
}

std::vector<std::string> Requantizer::names_of(const std::vector<int>& layers) const {
  std::vector<std::string> names;
  for (const int layer : layers) names.push_back(name_of(layer));
  return names;
}

std::string Requantizer::keep_float(const std::vector<int>& layers) const {
  ordered_json list = ordered_json::array();
  if (format_ == model::Format::kTflite) list.push_back(usual_recipe());
  for (const std::string& name : names_of(layers)) {
    if (format_ == model::Format::kOnnx) list.push_back(name);
    else
      list.push_back({{"regex", expression_of(name)},
                      {"operation", "*"},
                      {"algorithm_key", "no_quantize"},
                      {"op_config", ordered_json::object()}});
  }
  return list.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

const char* Requantizer::keep_float_file() const {
  return format_ == model::Format::kOnnx ? "nodes_to_exclude.json" : "quantizer_recipe.json";
}

Result<Converted> Requantizer::quantize(const std::vector<int>& layers,
                                        const std::filesystem::path& out,
                                        Terminal& terminal) const {
  const SourceKind source =
      format_ == model::Format::kOnnx ? SourceKind::kOnnx : SourceKind::kTflite;
  Conversion wanted{conversion_target("int8", source),
                    name(source),
                    reference_.spec.model,
                    out,
                    reference_.session->inputs(),
                    reference_.session->outputs(),
                    {scratch_.path() / "calibration.bin", frames_}};
  if (!layers.empty()) wanted.keep_float = keep_float(layers);
  return convert(wanted, python_, terminal);
}

}  // namespace edgeprobe::cli
