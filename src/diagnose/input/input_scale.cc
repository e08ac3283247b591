// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/input_scale.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/evenly_spaced.h"
#include "core/index.h"
#include "diagnose/preprocessing/search/explanation.h"
#include "layers/pairing/values.h"

namespace edgeprobe::diagnose {
namespace {

// Limit without gray steps, relative to the deviation of the values: 8-bit codes lose about 1 % if
// there are a few outliers.
constexpr double kMostLost = 0.1;
// A value is out of range if it exceeds the codes' end by more than rounding, in units of the
// smaller step: wide codes would hide much of the clipping.
constexpr double kBeyond = 0.75;
// Frames examined; a wrong range is wrong in each.
constexpr std::size_t kFrames = 24;

struct Codes {
  double low, high;
};
std::optional<Codes> codes_of(const TensorSpec& spec) {
  if (spec.quantization.scale.size() != 1 || !(spec.quantization.scale[0] > 0)) return std::nullopt;
  switch (spec.dtype) {
    case DType::kInt8: return Codes{-128, 127};
    case DType::kUInt8: return Codes{0, 255};
    case DType::kInt16: return Codes{-32768, 32767};
    default: return std::nullopt;
  }
}

// The codes in which the target's input is stored: its own, or those to which its first layer
// converts it.
std::optional<TensorSpec> stored_input(const Study& study) {
  const Case& known = study.known;
  const trace::ReadChannel* const channel = study.input.target;
  if (!channel) return std::nullopt;
  if (codes_of(channel->channel.spec)) return channel->channel.spec;
  if (!known.target_model || known.target_model->graph.inputs.size() != 1) return std::nullopt;
  const model::Graph& graph = known.target_model->graph;
  std::optional<TensorSpec> made;
  for (const model::Layer& layer : graph.layers) {
    if (std::count(layer.inputs.begin(), layer.inputs.end(), graph.inputs[0]) == 0) continue;
    if ((layer.type != "QUANTIZE" && layer.type != "QuantizeLinear") || layer.outputs.empty() ||
        made)
      return std::nullopt;
    made = graph.tensors[at(layer.outputs[0])].spec;
  }
  return made && codes_of(*made) ? made : std::nullopt;
}

// The reference's recorded input of one frame; empty if there is none.
Result<std::vector<float>> fed(const trace::Reader& reader, const trace::ReadChannel& channel,
                               std::uint32_t frame) {
  EP_TRY(const auto message, reader.read(frame, channel.id));
  if (!message) return std::vector<float>{};
  return to_float(*message);
}

}  // namespace

Result<std::optional<InputScale>> examine_input_scale(const Study& study, double gray_step,
                                                      const Control& control) {
  const Case& known = study.known;
  // Several inputs may have different scales; they are not examined here.
  if (input_names(*known.target).size() > 1 || input_names(*known.reference).size() > 1)
    return std::optional<InputScale>{};
  const auto spec = stored_input(study);
  const trace::ReadChannel* const reference = study.input.reference;
  if (!spec || !reference) return std::optional<InputScale>{};
  const Codes codes = *codes_of(*spec);
  const double step = spec->quantization.scale[0],
               zero = static_cast<double>(spec->quantization.zero_point_at(0));
  InputScale found;
  found.stored = *spec;
  found.step = step;
  found.low = (codes.low - zero) * step;
  found.high = (codes.high - zero) * step;
  double n = 0, sum = 0, squares = 0, lost = 0, beyond = 0;
  std::set<double> seen;
  for (const std::size_t k : evenly_spaced(study.agreement.frames.size(), kFrames)) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto values,
           fed(*known.reference, *reference, study.agreement.frames[k].reference));
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      const double code = std::clamp(std::nearbyint(value / step + zero), codes.low, codes.high),
                   off = (code - zero) * step - value;
      found.least = n > 0 ? std::min<double>(found.least, value) : value;
      found.most = n > 0 ? std::max<double>(found.most, value) : value;
      ++n;
      sum += value;
      squares += double{value} * value;
      lost += off * off;
      const double past = std::max({found.low - value, value - found.high, 0.0});
      beyond += past > kBeyond * (gray_step > 0 ? std::min(step, gray_step) : step);
      seen.insert(code);
    }
  }
  if (n == 0) return std::optional<InputScale>{};
  found.cut = beyond / n;
  found.left = seen.size();
  const double deviation = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
  found.lost = std::sqrt(lost / n);
  if (gray_step > 0) found.lost_steps = found.lost / gray_step;
  const bool loses = found.lost_steps ? *found.lost_steps > kDecoder
                                      : deviation > 0 && found.lost > kMostLost * deviation;
  return loses ? std::optional(std::move(found)) : std::nullopt;
}

Result<Answers> reference_through(const InputScale& scale, const Study& study,
                                  const std::vector<std::uint32_t>& frames,
                                  const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel* const channel = study.input.reference;
  Answers answers;
  if (!known.reference_pipeline || !channel ||
      known.reference_pipeline->session->inputs().size() != 1)
    return answers;
  const TensorSpec& wanted = known.reference_pipeline->input();
  const auto partner = partners(study);
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto values, fed(*known.reference, *channel, partner.at(frame)));
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (values.empty()) continue;
    const auto codes = layers::stored_as(scale.stored, wanted.shape, values);
    const auto back = codes ? to_float(*codes) : Result<std::vector<float>>(codes.error());
    auto input =
        back ? layers::stored_as(wanted, wanted.shape, *back) : Result<Tensor>(back.error());
    if (!input) return Answers{};
    auto inference = known.reference_pipeline->session->infer({*input});
    if (!inference)
      return std::move(inference.error()).during("reference on inputs that are cut off");
    EP_TRY(auto outputs, outputs_of(inference->outputs));
    answers.outputs.back() = std::move(outputs);
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(),
                       "frames of the reference through the target's input codes");
  }
  return answers;
}

}  // namespace edgeprobe::diagnose
