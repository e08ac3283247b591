// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/model_inputs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "core/control.h"
#include "core/text.h"
#include "matrix/matrix.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/prepare.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 20;

/// At most `usual` samples, evenly spread; reports if some are left out.
std::vector<dataset::Sample> usual_samples(std::vector<dataset::Sample> samples, std::size_t usual,
                                           const std::string& what, Terminal& terminal) {
  if (samples.size() <= usual) return samples;
  std::vector<dataset::Sample> some;
  for (std::size_t i = 0; i < usual; ++i) some.push_back(samples[i * samples.size() / usual]);
  terminal.err << "using " << usual << " of " << samples.size() << " " << what
               << ", evenly spread (--frames takes another number)\n";
  return some;
}

/// Reports inputs with a guessed size: random inputs whose model leaves more than the batch size
/// open.
void note_made_up_sizes(const GivenModel& given, Terminal& terminal) {
  for (const int index : given.graph.inputs) {
    const TensorSpec& spec = given.graph.tensors[static_cast<std::size_t>(index)].spec;
    const auto is_open = [](std::int64_t side) { return side < 0; };
    if (spec.shape.empty() || std::none_of(spec.shape.begin() + 1, spec.shape.end(), is_open) ||
        given.spec.session.input_shapes.count(spec.name) != 0)
      continue;
    terminal.err << "note: the model leaves sizes of input " << in_quotes(spec.name, 80)
                 << " open (" << open_text(spec.shape)
                 << "), and each is taken as 1; --input-shape " << sanitized(spec.name, 80)
                 << "=SHAPE or --data gives others\n";
  }
}

}  // namespace

Result<std::vector<std::vector<Tensor>>> model_inputs(const std::vector<dataset::Sample>& samples,
                                                      pipeline::Pipeline& pipeline,
                                                      Terminal& terminal) {
  std::vector<std::vector<Tensor>> inputs;
  std::size_t bytes = 0;
  for (const dataset::Sample& sample : samples) {
    if (terminal.stopped()) return interrupted();
    const auto loaded = sample.load();
    if (!loaded) {
      terminal.err << "warning: left out: " << loaded.error().what << "\n";
      continue;
    }
    EP_TRY(auto prepared,
           pipeline::prepare(pipeline, loaded->input, sample.name, terminal.control()));
    for (const Tensor& input : prepared.inputs) bytes += input.bytes.size();
    if (bytes > kMostBytes) {
      terminal.err << "warning: the first " << inputs.size()
                   << " samples are used; the others do not fit in "
                   << bytes_text(static_cast<double>(kMostBytes)) << "\n";
      break;
    }
    inputs.push_back(std::move(prepared.inputs));
  }
  if (inputs.empty())
    return Error{ErrorKind::kNotFound, "--data contains no sample that can be used"};
  return inputs;
}

Result<std::vector<Tensor>> frame_inputs(const pipeline::PipelineSpec& spec,
                                         const dataset::Sample& sample,
                                         const std::vector<TensorSpec>& specs) {
  EP_TRY(auto loaded, sample.load());
  if (const auto* recorded = std::get_if<dataset::Arrays>(&loaded.input)) {
    auto inputs = pipeline::inputs_of(*recorded, spec, specs);
    if (!inputs) return std::move(inputs.error()).during("'" + sanitized(sample.name) + "'");
    return inputs;
  }
  if (specs.size() != 1)
    return Error{ErrorKind::kUnsupported,
                 "it has " + std::to_string(specs.size()) +
                     " inputs; a recipe makes exactly one of a picture (give all of them with "
                     "--data FILE.npz, or leave out --data)"};
  EP_TRY(auto recipe, spec.recipe ? Result<preprocess::Recipe>(*spec.recipe)
                                  : preprocess::default_recipe(specs.front()));
  auto input = pipeline::model_input(recipe, loaded.input, specs.front());
  if (!input) return std::move(input.error()).during("'" + sanitized(sample.name) + "'");
  std::vector<Tensor> inputs;
  inputs.push_back(*std::move(input));
  return inputs;
}

Result<GivenModel> given_model(const PipelineFlags& pipeline, const DataFlags& data,
                               std::uint64_t seed, UsualFrames usual, Terminal& terminal) {
  GivenModel given;
  EP_TRY(given.spec, spec_from(pipeline));
  // Answers are not needed here, so a recipe with only a post-processing half has no effect.
  if (given.spec.recipe && given.spec.recipe->steps.empty()) given.spec.recipe.reset();
  EP_TRY(auto samples, samples_from(data, terminal));
  EP_TRY(const auto wanted, frames_from(data));
  if (samples.empty() && given.spec.recipe)
    return Error{ErrorKind::kUsage, "--recipe makes inputs of pictures; give them with --data"};
  EP_TRY(given.graph, model::load(given.spec.model, given.file));
  EP_CHECK(pipeline::resize_inputs(&given.graph, given.spec.input_shapes, given.spec.engine,
                                   given.spec.session));
  std::vector<TensorSpec> outputs;
  for (const int output : given.graph.outputs)
    outputs.push_back(given.graph.tensors[static_cast<std::size_t>(output)].spec);
  if (const std::string fitted = dataset::fit_background(samples, outputs); !fitted.empty())
    terminal.err << "note: " << fitted << "\n";
  if (!samples.empty()) given.spec.arrays = samples.front().arrays;
  pipeline::size_open_inputs(given.spec, given.graph, given.spec.session);
  std::error_code unresolved;
  given.spec.session.folder = std::filesystem::absolute(given.spec.model, unresolved).parent_path();
  given.label = given.spec.model.filename().string();
  given.feeds = model::feeds(given.graph);
  given.seed = seed;
  given.inputs = !samples.empty()
                     ? (given.spec.arrays.empty() ? "pictures" : "recorded tensors")
                     : "seeded random inputs" +
                           (given.feeds.empty() ? "" : "; " + model::to_text(given.feeds));
  if (wanted == 0 && usual.data > 0)
    samples = usual_samples(std::move(samples), usual.data, given.inputs, terminal);
  given.samples = std::move(samples);
  if (given.samples.empty()) note_made_up_sizes(given, terminal);
  given.frames = !given.samples.empty() ? given.samples.size() : wanted ? wanted : usual.random;
  return given;
}

Result<std::vector<Tensor>> frame_of(const GivenModel& given, const std::vector<TensorSpec>& specs,
                                     std::size_t frame) {
  if (given.samples.empty()) return matrix::random_inputs(specs, given.seed + frame, given.feeds);
  return frame_inputs(given.spec, given.samples[frame], specs);
}

Result<std::vector<std::vector<Tensor>>> frames_of(const GivenModel& given,
                                                   const std::vector<TensorSpec>& specs,
                                                   Terminal& terminal) {
  std::vector<std::vector<Tensor>> frames;
  for (std::size_t f = 0; f < given.frames; ++f) {
    if (terminal.stopped()) return interrupted();
    EP_TRY(auto inputs, frame_of(given, specs, f));
    frames.push_back(std::move(inputs));
  }
  return frames;
}

}  // namespace edgeprobe::cli
