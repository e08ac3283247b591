// SPDX-License-Identifier: Apache-2.0
#include "why/sides.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "core/integer_limits.h"
#include "core/text.h"
#include "diagnose/preprocessing/model/frame.h"

namespace edgeprobe::why {
namespace {

using diagnose::PictureLayout;

struct Frames {
  PictureLayout layout;
  std::size_t count = 1;
};

/// A batch of pictures has its frames along the first axis.
std::optional<Frames> frames_of(const Shape& shape) {
  if (const auto one = diagnose::picture_layout(shape)) return Frames{*one, 1};
  if (shape.size() != 4 || shape[0] < 2) return std::nullopt;
  const auto one = diagnose::picture_layout({1, shape[1], shape[2], shape[3]});
  if (!one) return std::nullopt;
  return Frames{*one, std::size_t(shape[0])};
}

bool is_other_layout(const Frames& a, const Frames& b) {
  return a.count == b.count && a.layout.height == b.layout.height &&
         a.layout.width == b.layout.width && a.layout.channels == b.layout.channels &&
         a.layout.planar != b.layout.planar;
}

/// Appends one frame along the axes of another layout.
void append_laid(std::vector<float>& out, const float* from, const PictureLayout& as, bool planar) {
  const std::size_t pixels = as.height * as.width;
  for (std::size_t i = 0; i < as.size(); ++i) {
    const std::size_t pixel = planar ? i % pixels : i / as.channels,
                      channel = planar ? i / pixels : i % as.channels;
    out.push_back(from[as.planar ? channel * pixels + pixel : pixel * as.channels + channel]);
  }
}

Result<Side> side_of(const TensorView& tensor, const char* who) {
  auto values = stored_as_float(tensor);
  if (!values) return std::move(values.error()).during(who);
  if (values->empty())
    return Error{ErrorKind::kUsage, std::string(who) + ": the tensor holds no value"};
  Side out{*tensor.spec, *std::move(values)};
  out.spec.name = "input";
  return out;
}

}  // namespace

Result<Sides> sides_of(const TensorView& app, const TensorView& reference) {
  EP_TRY(auto mine, side_of(app, "app"));
  EP_TRY(auto theirs, side_of(reference, "reference"));
  return lined_up(std::move(mine), std::move(theirs));
}

Sides lined_up(Side app, Side reference) {
  Sides out;
  out.app = std::move(app);
  out.reference = std::move(reference);
  Shape &fed = out.app.spec.shape, &wanted = out.reference.spec.shape;
  if (out.app.values.size() != out.reference.values.size()) {
    out.fit = Fit::kOther;
    return out;
  }
  const auto mine = diagnose::tensors::axes_of(fed), theirs = diagnose::tensors::axes_of(wanted);
  if (mine == theirs) {
    out.fit = Fit::kSame;
    // A batch axis that is missing on one side.
    if (fed.size() > wanted.size()) wanted = fed;
    else fed = wanted;
  } else if (mine.size() < 2 || theirs.size() < 2) {
    out.fit = Fit::kFlat;
    (mine.size() < 2 ? fed : wanted) = mine.size() < 2 ? wanted : fed;
  } else {
    const auto of_app = frames_of(fed), of_reference = frames_of(wanted);
    out.fit = of_app && of_reference && is_other_layout(*of_app, *of_reference) ? Fit::kPlanar
                                                                                : Fit::kReshaped;
    if (out.fit == Fit::kPlanar) {
      out.fed.reserve(out.app.values.size());
      for (std::size_t f = 0; f < of_app->count; ++f)
        append_laid(out.fed, out.app.values.data() + f * of_app->layout.size(), of_app->layout,
                    of_reference->layout.planar);
    }
  }
  if (out.fed.empty()) out.fed = out.app.values;
  if (const auto frames = frames_of(wanted); frames && out.fit != Fit::kReshaped) {
    out.picture = frames->layout;
    out.frames = frames->count;
  }
  return out;
}

Sides exchanged(const Sides& sides) {
  Sides out;
  out.fit = sides.fit;
  out.app = sides.reference;
  out.reference = sides.app;
  out.frames = sides.frames;
  out.picture = sides.picture;
  out.fed = sides.reference.values;
  if (sides.fit == Fit::kPlanar && sides.picture) {
    out.picture->planar = !sides.picture->planar;
    out.fed.clear();
    for (std::size_t f = 0; f < sides.frames; ++f)
      append_laid(out.fed, sides.reference.values.data() + f * sides.picture->size(),
                  *sides.picture, out.picture->planar);
  }
  return out;
}

Distance distance_of(const Sides& sides) {
  Distance out;
  out.values = sides.fed.size();
  double squares = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    const float fed = sides.fed[i], wanted = sides.wanted()[i];
    out.equal += fed == wanted || (std::isnan(fed) && std::isnan(wanted));
    out.app_not_finite += !std::isfinite(fed);
    out.reference_not_finite += !std::isfinite(wanted);
    if (!std::isfinite(fed) || !std::isfinite(wanted)) continue;
    const double apart = std::abs(double(fed) - double(wanted));
    squares += apart * apart;
    ++finite;
    out.largest = std::max(out.largest, apart);
  }
  if (finite) out.rms = std::sqrt(squares / double(finite));
  return out;
}

diagnose::tensors::Pairs pairs_of(const Sides& sides) {
  std::optional<diagnose::tensors::Codes> codes;
  const auto limits = code_limits(sides.reference.spec.dtype);
  if (limits && sides.app.spec.dtype == sides.reference.spec.dtype)
    codes = diagnose::tensors::Codes{0, 0, double(limits->least), double(limits->most)};
  // Integers against real numbers: allow for rounding.
  const bool is_mixed = is_integer(sides.app.spec.dtype) != is_integer(sides.reference.spec.dtype);
  return diagnose::tensors::paired({{0, true, sides.wanted(), sides.fed}},
                                   sides.reference.spec.shape, sides.app.spec.dtype, codes,
                                   is_mixed ? 0.01 : 0);
}

Left left_by(const Sides& sides, const std::vector<float>& made, double unit,
             const std::string& word) {
  Left out;
  out.unit = word;
  double left = 0, before = 0;
  std::size_t within = 0, count = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (std::isnan(made[i])) continue;
    ++count;
    const double off = std::abs(double(made[i]) - double(sides.fed[i]));
    const double own = std::abs(double(sides.wanted()[i]) - double(sides.fed[i]));
    if (!std::isfinite(off)) continue;
    left += off * off;
    if (std::isfinite(own)) before += own * own;
    within += off <= 1.01 * unit;
    out.largest = std::max(out.largest, off / unit);
  }
  out.explained = before > 0 ? std::max(0.0, 1 - left / before) : 1;
  out.within = count ? double(within) / double(count) : 0;
  return out;
}

std::vector<float> as_rows(const float* values, const PictureLayout& layout) {
  std::vector<float> out;
  out.reserve(layout.size());
  append_laid(out, values, layout, false);
  return out;
}

double roughness(const std::vector<float>& values, const PictureLayout& layout) {
  const preprocess::Raster rows{int(layout.height), int(layout.width), int(layout.channels),
                                as_rows(values.data(), layout)};
  double sum = 0, squares = 0;
  for (const float value : rows.values) sum += value, squares += double(value) * value;
  const double n = double(rows.values.size()), mean = sum / n;
  const double deviation = std::sqrt(std::max(1e-30, squares / n - mean * mean));
  return diagnose::total_variation(rows) / (n * deviation);
}

bool is_telling(const std::vector<float>& values) {
  constexpr std::size_t kFewest = 48, kFewestDistinct = 8;
  std::map<float, std::size_t> counts;
  for (const float value : values) {
    ++counts[value];
    if (counts.size() > kFewest) return true;
  }
  std::size_t most = 0;
  for (const auto& [value, count] : counts) most = std::max(most, count);
  return counts.size() >= kFewestDistinct && values.size() - most >= kFewest;
}

bool is_of_bfloat16(const Side& side) {
  return side.spec.dtype == DType::kFloat32 &&
         std::all_of(side.values.begin(), side.values.end(),
                     [](float v) { return (std::bit_cast<std::uint32_t>(v) & 0xffff) == 0; });
}

std::string described(const Side& side) {
  std::string text = to_text(side.spec.shape) + " " + name(side.spec.dtype);
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float value : side.values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (low <= high) text += ", " + number(low) + " to " + number(high);
  return text;
}

}  // namespace edgeprobe::why
