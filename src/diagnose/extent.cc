#include "diagnose/extent.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "pipeline/picture.h"

namespace edgeprobe::diagnose {
namespace {

// Two JPEG decoders differ by up to 2.2 steps (docs/recipes.md).
constexpr double kDecoders = 2.2;
// A frame that a recipe does not reproduce is worth a word only when it is far off: windows in pixels fit other pictures nearly.
constexpr double kFarOff = 0.5;

const trace::ReadChannel* model_input(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput) return &channel;
  return nullptr;
}

std::optional<double> rms(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  if (!std::isfinite(sum)) return std::nullopt;
  return std::sqrt(sum / double(a.size()));
}

// The target's recorded values of a frame; empty when it has none.
Result<std::vector<float>> values_of(const trace::Reader& reader, const trace::ReadChannel& channel, std::uint32_t frame) {
  const auto message = reader.read(frame, channel.id);
  if (!message) return message.error();
  if (!*message) return std::vector<float>{};
  return to_float(**message);
}

bool stopped(const Case& known) { return known.control.stop && known.control.stop->load(std::memory_order_relaxed); }

// One 255th of the range of the reference's model inputs.
Result<double> gray_step(const Study& study, const trace::ReadChannel& channel) {
  double low = INFINITY, high = -INFINITY;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    const auto values = values_of(*study.known.reference, channel, frame.reference);
    if (!values) return values.error();
    for (const float v : *values)
      if (std::isfinite(v)) {
        low = std::min(low, double(v));
        high = std::max(high, double(v));
      }
  }
  return high > low ? (high - low) / 255 : 0;
}

}  // namespace

Result<InputSteps> input_steps(const Study& study) {
  const Case& known = study.known;
  const trace::ReadChannel* target = model_input(*known.target);
  const trace::ReadChannel* reference = model_input(*known.reference);
  InputSteps steps;
  if (!target || !reference || !known.raw || target->channel.spec.shape != reference->channel.spec.shape) return steps;
  const auto unit = gray_step(study, *reference);
  if (!unit) return unit.error();
  if (*unit <= 0) return steps;
  steps.unit = *unit;
  const auto& scale = target->channel.spec.quantization.scale;
  steps.same = kDecoders + (scale.size() == 1 ? scale[0] / *unit / 2 : 0);
  std::map<std::uint32_t, std::uint32_t> partner;
  for (const compare::FrameAgreement& frame : study.agreement.frames) partner.emplace(frame.target, frame.reference);
  for (std::size_t i = 0; i < known.raw->frames.size(); ++i) {
    if (stopped(known)) return Error{Fault::kInterrupted, "stopped by the user"};
    const auto other = partner.find(known.raw->frames[i]);
    if (other == partner.end()) continue;
    const auto t = values_of(*known.target, *target, other->first);
    if (!t) return t.error();
    const auto r = values_of(*known.reference, *reference, other->second);
    if (!r) return r.error();
    if (const auto distance = rms(*t, *r)) steps.frames.push_back({i, *distance / *unit});
  }
  return steps;
}

Result<Extent> extent_of(const Study& study, const InputSteps& steps, const preprocess::Recipe& target_recipe) {
  const Case& known = study.known;
  Extent extent;
  const trace::ReadChannel* channel = model_input(*known.target);
  if (!channel) return extent;
  const double same = steps.same;
  const std::size_t count = std::min(steps.frames.size(), known.max_replay);
  for (std::size_t k = 0; k < count; ++k) {
    if (stopped(known)) return Error{Fault::kInterrupted, "stopped by the user"};
    const InputStep& step = steps.frames[k * steps.frames.size() / count];
    const auto recorded = values_of(*known.target, *channel, known.raw->frames[step.sample]);
    if (!recorded) return recorded.error();
    const auto loaded = known.raw->samples[step.sample].load();
    if (!loaded) return loaded.error();
    const auto made = pipeline::model_input(target_recipe, *loaded, channel->channel.spec);
    std::optional<double> left;
    if (made) {
      const auto values = to_float(*made);
      if (!values) return values.error();
      left = rms(*recorded, *values);
    } else if (made.error().fault != Fault::kUsage) {
      return made.error();
    }
    if (left) *left /= steps.unit;
    if (step.steps <= same && left && *left > same && *left > step.steps)
      ++extent.spared;
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
