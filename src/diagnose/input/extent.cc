// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/extent.h"

#include <algorithm>
#include <cmath>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/case/counterfactual.h"
#include "diagnose/preprocessing/search/explanation.h"
#include "pipeline/inputs/picture.h"

namespace edgeprobe::diagnose {
namespace {

// A frame that a recipe does not reproduce is reported only if it is far off: crop windows in
// pixels almost fit other pictures.
constexpr double kFarOff = 0.5;

std::optional<double> rms(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  if (!std::isfinite(sum)) return std::nullopt;
  return std::sqrt(sum / double(a.size()));
}

// The target's recorded values of a frame; empty if there are none.
Result<std::vector<float>> values_of(const trace::Reader& reader, const trace::ReadChannel& channel,
                                     std::uint32_t frame) {
  EP_TRY(const auto message, reader.read(frame, channel.id));
  if (!message) return std::vector<float>{};
  return to_float(*message);
}

// Distance in gray steps between the recorded input and the one that a diagnosis without a recipe
// predicts for the picture.
Result<std::optional<double>> left_by(const InputDiagnosis& diagnosis, const Case& known,
                                      const trace::ReadChannel& channel, std::uint32_t frame,
                                      const dataset::RawInput& input) {
  std::optional<double> left;
  if (!diagnosis.left) return left;
  EP_TRY(const auto message, known.target->read(frame, channel.id));
  const dataset::Picture* const recorded = dataset::picture_of(input);
  if (!recorded) return left;
  EP_TRY(const auto picture, pipeline::picture_for(known.reference_pipeline->recipe, *recorded));
  if (message) left = diagnosis.left({"", &picture, *message, std::nullopt});
  return left;
}

}  // namespace

double gray_step(const Study& study) {
  compare::Moments moments;
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelInput) moments.merge(layer.moments);
  return moments.n == 0 || compare::distances(moments).exact
             ? 0
             : (moments.max_r - moments.min_r) / 255;
}

double same_input_steps(const trace::ReadChannel& target, double unit) {
  const auto& scale = target.channel.spec.quantization.scale;
  return kDecoder + (scale.size() == 1 ? scale[0] / unit / 2 : 0);
}

Result<InputSteps> input_steps(const Study& study, const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  InputSteps steps;
  if (!target || !reference || !known.raw ||
      target->channel.spec.shape != reference->channel.spec.shape)
    return steps;
  steps.unit = gray_step(study);
  if (steps.unit <= 0) return steps;
  steps.same = same_input_steps(*target, steps.unit);
  const auto partner = partners(study);
  for (std::size_t i = 0; i < known.raw->frames.size(); ++i) {
    if (control.stopped()) return interrupted();
    const auto other = partner.find(known.raw->frames[i]);
    if (other == partner.end()) continue;
    EP_TRY(const auto t, values_of(*known.target, *target, other->first));
    EP_TRY(const auto r, values_of(*known.reference, *reference, other->second));
    if (const auto distance = rms(t, r)) steps.frames.push_back({i, *distance / steps.unit});
  }
  return steps;
}

Result<Extent> extent_of(const Study& study, const InputSteps& steps,
                         const InputDiagnosis& diagnosis, const Control& control) {
  const Case& known = study.known;
  Extent extent;
  const trace::ReadChannel* const channel = study.input.target;
  if (!channel) return extent;
  const double same = steps.same;
  for (const std::size_t k : evenly_spaced(steps.frames.size(), known.max_replay)) {
    if (control.stopped()) return interrupted();
    const InputStep& step = steps.frames[k];
    EP_TRY(const auto recorded, values_of(*known.target, *channel, known.raw->frames[step.sample]));
    EP_TRY(const auto loaded, known.raw->samples[step.sample].load());
    std::optional<double> left;
    if (diagnosis.as_recorded) {
      EP_TRY(const auto found,
             left_by(diagnosis, known, *channel, known.raw->frames[step.sample], loaded.input));
      if (!found) {
        ++extent.with;
        continue;
      }
      left = found;
    } else if (const auto made = pipeline::model_input(diagnosis.target_recipe, loaded.input,
                                                       channel->channel.spec);
               made) {
      EP_TRY(const auto values, to_float(*made));
      left = rms(recorded, values);
      if (left) *left /= steps.unit;
    } else if (made.error().kind != ErrorKind::kUsage) {
      return made.error();
    }
    if (step.steps <= same && left && *left > same && *left > step.steps) ++extent.spared;
    else if (step.steps > same && (!left || *left > std::max(2 * same, kFarOff * step.steps))) {
      if (extent.otherwise++ == 0) extent.example = known.raw->samples[step.sample].name;
    } else {
      ++extent.with;
      continue;
    }
    extent.not_with.push_back(known.raw->frames[step.sample]);
  }
  std::sort(extent.not_with.begin(), extent.not_with.end());
  return extent;
}

}  // namespace edgeprobe::diagnose
