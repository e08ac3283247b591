// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/integer_limits.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Step;

Error unsupported(std::string what) { return {ErrorKind::kUnsupported, std::move(what)}; }

struct Size {
  int height = 0, width = 0, channels = 0;
  Order order = Order::kHwc;
};

Result<Size> size_of_input(const TensorSpec& spec, bool nchw_stated) {
  Shape shape = spec.shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 2) shape.push_back(1);
  const auto is_channels = [](std::int64_t n) { return n == 1 || n == 3; };
  if (shape.size() != 3 ||
      std::any_of(shape.begin(), shape.end(), [](auto n) { return n < 1 || n > 16384; }))
    return unsupported("the model input " + to_text(spec.shape) +
                       " is not a picture of one frame; expected [1,H,W,C] or [1,C,H,W]");
  const bool first = is_channels(shape[0]) && (nchw_stated || !is_channels(shape[2]));
  if (!first && !is_channels(shape[2]))
    return unsupported("the model input " + to_text(spec.shape) +
                       " has neither one nor three channels");
  if (first) return Size{int(shape[1]), int(shape[2]), int(shape[0]), Order::kChw};
  return Size{int(shape[0]), int(shape[1]), int(shape[2]), Order::kHwc};
}

const std::array<double, 3> kLuma = {0.299, 0.587, 0.114};

Mixing as_decoded() {
  Mixing mixing{"RGB", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  mixing.order = preprocess::ChannelOrder::kRgb;
  return mixing;
}

/// The point-wise steps combined into a mixture and one line per channel, on pixels 0..255.
struct Point {
  Mixing mixing = as_decoded();
  preprocess::ChannelOrder order = preprocess::ChannelOrder::kRgb;
  bool gray = false, plain = true;  ///< plain: the values still have the pixels' range.
  std::vector<double> gain = {1, 1, 1}, offset = {0, 0, 0};
};

Status fold(Point& point, const Step& step) {
  if (const auto* color = std::get_if<preprocess::Color>(&step)) {
    if (color->order != point.order && point.mixing.rows.size() == 3) {
      const auto have = preprocess::channels_of(point.order),
                 want = preprocess::channels_of(color->order);
      const Point old = point;
      for (std::size_t c = 0; c < 3; ++c) {
        const auto from = std::size_t(std::find(have.begin(), have.end(), want[c]) - have.begin());
        point.mixing.rows[c] = old.mixing.rows[from];
        point.gain[c] = old.gain[from];
        point.offset[c] = old.offset[from];
      }
      if (!point.gray) {
        point.mixing.name = name(color->order);
        point.mixing.order = color->order;
      }
    }
    point.order = color->order;
  } else if (std::holds_alternative<preprocess::Tone>(step) ||
             std::holds_alternative<preprocess::Recode>(step)) {
    if (!point.plain || point.gray)
      return unsupported("tone() and recode() are taken apart on R, G, B pixels only");
  } else if (std::holds_alternative<preprocess::Standardize>(step)) {
    return unsupported("standardize() is not taken apart");
  } else if (std::holds_alternative<preprocess::Matrix>(step)) {
    return unsupported("matrix() is not taken apart");
  } else if (const auto* gray = std::get_if<preprocess::Gray>(&step)) {
    for (double g : point.gain)
      if (g != 1) return unsupported("gray() after a change of range is not taken apart");
    point.gray = true;
    std::array<double, 3> weights = kLuma;
    if (gray->weights.size() == 3)
      std::copy(gray->weights.begin(), gray->weights.end(), weights.begin());
    point.mixing = {"gray", std::vector<std::array<double, 3>>(gray->keep_three ? 3 : 1, weights)};
    point.mixing.gray_step = true;
    point.gain.assign(point.mixing.rows.size(), 1);
    point.offset.assign(point.mixing.rows.size(), 0);
  } else if (const auto* scale = std::get_if<preprocess::Scale>(&step)) {
    const double k = (scale->high - scale->low) / 255;
    point.plain = false;
    for (double& g : point.gain) g *= k;
    for (double& o : point.offset) o = o * k + scale->low;
  } else if (const auto* norm = std::get_if<preprocess::Normalize>(&step)) {
    point.plain = false;
    const auto pick = [](const std::vector<double>& v, std::size_t c) {
      return v.size() == 1 ? v[0] : v[c];
    };
    for (std::size_t c = 0; c < point.gain.size(); ++c) {
      if ((norm->mean.size() != 1 && c >= norm->mean.size()) ||
          (norm->std.size() != 1 && c >= norm->std.size()) || norm->mean.empty() ||
          norm->std.empty())
        return unsupported("normalize() has fewer values than channels");
      const double s = pick(norm->std, c);
      if (s == 0) return unsupported("normalize() divides by zero");
      point.gain[c] /= s;
      point.offset[c] = (point.offset[c] - pick(norm->mean, c)) / s;
    }
  }
  return {};
}

bool is_scaled(const Quantization& q) { return !q.empty() && q.scale[0] > 0; }

}  // namespace

const char* name(preprocess::ChannelOrder order) {
  static constexpr const char* kNames[] = {"RGB", "BGR", "RBG", "GRB", "GBR", "BRG"};
  return kNames[int(order)];
}

const char* name(Order order) {
  switch (order) {
    case Order::kHwc: return "NHWC";
    case Order::kChw: return "NCHW";
    case Order::kHcw: return "NHCW";
    case Order::kWhc: return "NWHC";
  }
  return "";
}

double Reference::steps_per_unit() const {
  double sum = 0;
  for (double g : gain) sum += std::abs(g);
  return sum > 0 ? double(gain.size()) / sum : 1;
}

std::vector<Step> tail_steps(const Reference& reference) {
  std::vector<Step> steps;
  if (reference.order == Order::kChw) steps.push_back(preprocess::Layout{true});
  if (reference.coded) {
    if (is_scaled(reference.target.quantization)) steps.push_back(preprocess::Quantize{});
    else steps.push_back(preprocess::Cast{reference.target.dtype});
  }
  return steps;
}

Result<Reference> take_apart(const preprocess::Recipe& given_recipe,
                             const TensorSpec& reference_input, const TensorSpec& target_input) {
  Reference out;
  out.decodes = preprocess::decode_step(given_recipe) != nullptr;
  const preprocess::Recipe recipe = preprocess::without_decode(given_recipe);
  out.recipe = recipe;
  out.target = target_input;
  bool nchw = false;
  for (const Step& step : recipe.steps)
    if (const auto* layout = std::get_if<preprocess::Layout>(&step)) nchw = layout->nchw;
  auto wanted = size_of_input(reference_input, nchw);
  if (!wanted) return std::move(wanted.error()).during("reference");
  auto given = size_of_input(target_input, nchw);
  if (!given) return std::move(given.error()).during("target");
  if (wanted->height != given->height || wanted->width != given->width ||
      wanted->channels != given->channels)
    return unsupported("the inputs differ in size: the target takes " +
                       to_text(target_input.shape) + ", the reference " +
                       to_text(reference_input.shape) + "; the search needs one size");
  out.height = given->height;
  out.width = given->width;
  out.channels = given->channels;
  out.order = given->order;

  Point point;
  bool leading = true, whole = false;
  std::vector<Step> first, geometric, real;
  // Without quantize(), the values are the model's integers, with or without cast().
  const bool ends_in_codes =
      is_integer(reference_input.dtype) &&
      std::none_of(recipe.steps.begin(), recipe.steps.end(),
                   [](const Step& s) { return std::holds_alternative<preprocess::Quantize>(s); });
  for (const Step& step : recipe.steps) {
    if (is_geometric(step)) {
      geometric.push_back(step);
      const auto turn = orientation_of(step);
      if (turn && leading) {
        out.orientation = then(out.orientation, *turn);
        continue;
      }
      leading = false;
      out.geometry.push_back(step);
      if (const auto* to = std::get_if<preprocess::Resize>(&step)) {
        out.resampling = to->resampling;
        out.rounding = to->rounding;
        out.resizes = true;
      } else if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
        out.resampling = bars->resampling;
        out.rounding = bars->rounding;
        out.resizes = true;
      }
      continue;
    }
    EP_CHECK(fold(point, step));
    if (std::holds_alternative<preprocess::Quantize>(step)) continue;
    if (std::holds_alternative<preprocess::Layout>(step)) continue;
    if (const auto* cast = std::get_if<preprocess::Cast>(&step)) {
      if (is_integer(cast->dtype)) {
        const bool pixels =
            std::all_of(point.gain.begin(), point.gain.end(), [](double g) { return g == 1; }) &&
            std::all_of(point.offset.begin(), point.offset.end(), [](double o) { return o == 0; });
        if (pixels && out.rounding == preprocess::Rounding::kFloat) whole = true;
      }
      continue;
    }
    if (std::holds_alternative<preprocess::Tone>(step) ||
        std::holds_alternative<preprocess::Recode>(step)) {
      if (out.tone_step) return unsupported("more than one tone() or recode() is not taken apart");
      out.tone_step = step;
      out.tone_step_first = geometric.empty();
      if (out.tone_step_first) first.push_back(step);
      else real.push_back(step);
      continue;
    }
    if (std::holds_alternative<preprocess::Color>(step) ||
        std::holds_alternative<preprocess::Gray>(step)) {
      out.color_steps.push_back(step);
    } else {
      out.range_steps.push_back(step);
    }
    real.push_back(step);
  }
  if (whole) out.rounding = preprocess::Rounding::kUint8;

  if (out.channels == 1 && point.mixing.rows.size() == 3) {
    // Gray for a model with one channel; the recipe may omit this step.
    point.mixing = {"gray", {kLuma}};
    point.gain.resize(1);
    point.offset.resize(1);
    point.gray = true;
  }
  if (int(point.mixing.rows.size()) != out.channels)
    return unsupported("the recipe makes " + std::to_string(point.mixing.rows.size()) +
                       " channels, the model takes " + std::to_string(out.channels));
  out.mixing = point.mixing;
  out.gray = point.gray;
  out.real_gain = point.gain;
  out.real_offset = point.offset;
  // A recipe that yields the model's own integers defines codes, not real values.
  if (ends_in_codes && is_scaled(reference_input.quantization)) {
    const double s = reference_input.quantization.scale_at(0),
                 z = double(reference_input.quantization.zero_point_at(0));
    for (double& g : out.real_gain) g *= s;
    for (double& o : out.real_offset) o = (o - z) * s;
    real.push_back(preprocess::Normalize{{z}, {1 / s}});
    // Recipes built from these steps quantise again.
    out.range_steps.push_back(real.back());
    out.codes = target_input.dtype == reference_input.dtype &&
                target_input.quantization == reference_input.quantization;
  }
  out.coded = is_integer(target_input.dtype);
  if (out.coded && is_scaled(target_input.quantization)) {
    out.scale = target_input.quantization.scale_at(0);
    out.zero_point = double(target_input.quantization.zero_point_at(0));
  }
  const bool same_type = target_input.dtype == reference_input.dtype &&
                         target_input.quantization == reference_input.quantization &&
                         wanted->order == given->order;
  for (const Step& step : recipe.steps) {
    const auto* quantize = std::get_if<preprocess::Quantize>(&step);
    if (!quantize || !same_type) continue;
    if (quantize->scale && *quantize->scale > 0) out.scale = *quantize->scale;
    if (quantize->zero_point) out.zero_point = *quantize->zero_point;
  }
  const auto range = integer_limits(target_input.dtype);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  out.lowest = range ? double(range->least) : -kInfinite;
  out.highest = range ? double(range->most) : kInfinite;
  for (std::size_t c = 0; c < out.real_gain.size(); ++c) {
    if (out.real_gain[c] == 0) return unsupported("the recipe maps every pixel to one value");
    out.gain.push_back(out.real_gain[c] / out.scale);
    out.offset.push_back(out.real_offset[c] / out.scale + out.zero_point);
  }

  if (same_type) {
    out.healthy = recipe;
  } else {
    out.healthy.steps = first;
    out.healthy.steps.insert(out.healthy.steps.end(), geometric.begin(), geometric.end());
    out.healthy.steps.insert(out.healthy.steps.end(), real.begin(), real.end());
    const auto tail = tail_steps(out);
    out.healthy.steps.insert(out.healthy.steps.end(), tail.begin(), tail.end());
  }
  out.healthy.post.clear();
  return out;
}

}  // namespace edgeprobe::diagnose
