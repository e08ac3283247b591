// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/recorded_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/evenly_spaced.h"
#include "diagnose/input/extent.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostFrames = 2000;
/// Limits for kept frames, and for values in all of them.
constexpr std::size_t kKept = 8, kKeptValues = std::size_t(1) << 24;
/// Gray steps by which two roundings of a value may differ.
constexpr double kNear = 1.01;

class Inputs {
 public:
  Inputs(const trace::Reader& reader, const trace::ReadChannel& channel,
         const PictureLayout& layout)
      : reader_(reader), channel_(channel), layout_(layout) {}

  /// Empty if the frame has no input.
  Result<std::vector<float>> of(std::uint32_t frame) const {
    EP_TRY(const auto message, reader_.read(frame, channel_.id));
    if (!message) return std::vector<float>{};
    EP_TRY(auto values, to_float(*message));
    if (!layout_.planar || values.size() != layout_.size()) return values;
    std::vector<float> out(values.size());
    const std::size_t plane = layout_.height * layout_.width;
    for (std::size_t c = 0; c < layout_.channels; ++c)
      for (std::size_t p = 0; p < plane; ++p) out[p * layout_.channels + c] = values[c * plane + p];
    return out;
  }

 private:
  const trace::Reader& reader_;
  const trace::ReadChannel& channel_;
  const PictureLayout& layout_;
};

double rms(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  sum /= double(a.size());
  return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

std::string colors_of(const Case& known, std::size_t channels) {
  if (channels != 3 || !known.reference_pipeline || !known.reference_pipeline->has_recipe())
    return "";
  std::string order = "RGB";
  for (const preprocess::Step& step : known.reference_pipeline->recipe.steps) {
    if (std::holds_alternative<preprocess::Gray>(step)) return "";
    if (const auto* color = std::get_if<preprocess::Color>(&step))
      order = color->order == preprocess::ChannelOrder::kBgr ? "BGR" : "RGB";
  }
  return order;
}

}  // namespace

std::optional<PictureLayout> picture_layout(const Shape& shape) {
  const std::size_t n = shape.size();
  if (n < 3) return std::nullopt;
  for (std::size_t i = 0; i + 3 < n; ++i)
    if (shape[i] != 1) return std::nullopt;
  const auto side = [&](std::size_t from_back) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, shape[n - from_back]));
  };
  PictureLayout out;
  if (side(1) >= 1 && side(1) <= 4) out = {side(3), side(2), side(1), false};
  else if (side(3) >= 1 && side(3) <= 4) out = {side(2), side(1), side(3), true};
  if (out.height < 8 || out.width < 8) return std::nullopt;
  return out;
}

Result<std::optional<RecordedPictures>> recorded_pictures(const Study& study,
                                                          const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  if (!target || !reference || target->channel.spec.shape != reference->channel.spec.shape)
    return std::optional<RecordedPictures>();
  const double unit = gray_step(study);
  const auto layout = picture_layout(target->channel.spec.shape);
  if (!layout || unit <= 0 || study.agreement.frames.size() > kMostFrames)
    return std::optional<RecordedPictures>();
  RecordedPictures out;
  out.layout = *layout;
  out.unit = unit;
  const auto& scale = target->channel.spec.quantization.scale;
  out.near = kNear * unit + (scale.size() == 1 && scale[0] > unit ? scale[0] / 2.0 : 0);
  out.colors = colors_of(known, layout->channels);
  const double same = same_input_steps(*target, unit);
  const Inputs fed(*known.target, *target, out.layout),
      wanted(*known.reference, *reference, out.layout);
  auto pairs = study.agreement.frames;
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return a.target < b.target; });
  std::vector<std::size_t> differing;
  std::vector<double> differing_by;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto t, fed.of(pairs[i].target));
    EP_TRY(const auto r, wanted.of(pairs[i].reference));
    if (t.size() != layout->size() || r.size() != layout->size()) continue;
    ++out.all;
    const double distance = rms(t, r) / unit;
    out.distances.push_back(distance);
    if (distance <= same) {
      out.same.push_back(pairs[i].target);
      continue;
    }
    differing.push_back(i);
    differing_by.push_back(distance);
    out.frames.push_back(pairs[i].target);
  }
  out.differing = differing.size();
  if (differing.empty()) return std::optional<RecordedPictures>();
  const std::size_t kept = std::clamp<std::size_t>(kKeptValues / (6 * layout->size()), 2, kKept);
  for (const std::size_t k : evenly_spaced(differing.size(), kept)) {
    const std::size_t i = differing[k];
    RecordedPicture one;
    one.frame = pairs[i].target;
    one.distance = differing_by[k];
    EP_TRY(one.fed, fed.of(pairs[i].target));
    EP_TRY(one.wanted, wanted.of(pairs[i].reference));
    if (i >= 1) {
      EP_TRY(one.fed_before, fed.of(pairs[i - 1].target));
      EP_TRY(one.before, wanted.of(pairs[i - 1].reference));
    }
    if (i >= 2) {
      EP_TRY(one.before_that, wanted.of(pairs[i - 2].reference));
    }
    if (i + 1 < pairs.size()) {
      EP_TRY(one.behind, wanted.of(pairs[i + 1].reference));
    }
    out.pictures.push_back(std::move(one));
  }
  return std::optional(std::move(out));
}

std::string channel_word(const RecordedPictures& of, std::size_t channel) {
  if (channel >= of.colors.size()) return "channel " + std::to_string(channel);
  switch (of.colors[channel]) {
    case 'R': return "the red channel";
    case 'G': return "the green channel";
    default: return "the blue channel";
  }
}

}  // namespace edgeprobe::diagnose
