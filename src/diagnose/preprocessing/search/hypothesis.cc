// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/hypothesis.h"

#include <algorithm>
#include <cmath>

#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Rounding;
using preprocess::Step;

std::vector<Step> filled(std::vector<Step> steps, double fill,
                         const std::vector<double>& channel_fill) {
  for (auto& step : steps)
    if (auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      bars->fill = fill;
      bars->channel_fill = channel_fill;
    }
  return steps;
}

std::vector<Step> geometric_steps(const Hypothesis& h) {
  return filled(steps_of({h.framing, h.orientation, h.turned_last}, h.resampling, h.rounding),
                h.fill, h.channel_fill);
}

/// Compares framings without kernel and fill, which are separate parts.
std::vector<Step> bare(const Framing& framing) {
  return filled(with_resampling(framing.steps, {}, Rounding::kFloat), 0, {});
}

preprocess::Memory memory_of(Order order) {
  switch (order) {
    case Order::kHwc: return preprocess::Memory::kNhwc;
    case Order::kChw: return preprocess::Memory::kNchw;
    case Order::kHcw: return preprocess::Memory::kNhcw;
    case Order::kWhc: return preprocess::Memory::kNwhc;
  }
  return preprocess::Memory::kAsDeclared;
}

bool same_steps(const std::vector<Step>& a, const std::vector<Step>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (preprocess::to_text(a[i]) != preprocess::to_text(b[i])) return false;
  return true;
}

}  // namespace

double mean_gain(const std::vector<double>& gain) {
  double sum = 0;
  for (double g : gain) sum += std::abs(g);
  return gain.empty() ? 1 : sum / double(gain.size());
}

Hypothesis reference_hypothesis(const Reference& reference, const Range& own_range) {
  Hypothesis h;
  h.orientation = reference.orientation;
  h.framing = {reference.geometry, true};
  h.resampling = reference.resampling;
  h.rounding = reference.rounding;
  h.tone_step = reference.tone_step;
  h.tone_step_first = reference.tone_step_first;
  h.mixing = reference.mixing;
  h.range = own_range;
  h.order = reference.order;
  for (const Step& step : reference.geometry)
    if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      h.fill = bars->fill;
      h.channel_fill = bars->channel_fill;
    }
  return h;
}

bool differs(const Hypothesis& a, const Hypothesis& b, Part part) {
  switch (part) {
    case Part::kMixing: return !(a.mixing == b.mixing);
    case Part::kRange:
      // The reference's own range stays the same if channels were exchanged before it.
      if (a.range.per_picture || b.range.per_picture)
        return a.range.per_picture != b.range.per_picture ||
               a.range.by_channel != b.range.by_channel;
      return (a.range.kind || b.range.kind) &&
             (a.range.gain != b.range.gain || a.range.offset != b.range.offset);
    case Part::kResampling: return !(a.resampling == b.resampling);
    case Part::kFraming:
      return !(a.framing.reference && b.framing.reference) &&
             !same_steps(bare(a.framing), bare(b.framing));
    case Part::kFill:
      return a.framing.has_letterbox() && b.framing.has_letterbox() &&
             (a.fill != b.fill || a.channel_fill != b.channel_fill);
    case Part::kOrientation:
      return a.orientation != b.orientation ||
             (a.orientation != 0 && a.turned_last != b.turned_last);
    case Part::kOrder: return a.order != b.order;
    case Part::kSign: return a.flipped != b.flipped;
    case Part::kTouch:
      if (!a.tone_step || !b.tone_step) return bool(a.tone_step) != bool(b.tone_step);
      return preprocess::to_text(*a.tone_step) != preprocess::to_text(*b.tone_step) ||
             a.tone_step_first != b.tone_step_first;
    case Part::kDecode: {
      const auto fault = [](const Hypothesis& h) {
        return h.decode && h.decode_is_fault ? preprocess::to_text(Step{*h.decode}) : std::string();
      };
      return fault(a) != fault(b);
    }
  }
  return false;
}

bool same(const Hypothesis& a, const Hypothesis& b) {
  return std::none_of(std::begin(kParts), std::end(kParts),
                      [&](Part part) { return differs(a, b, part); });
}

Hypothesis with(Hypothesis h, const Hypothesis& other, Part part) {
  switch (part) {
    case Part::kMixing:
      h.mixing = other.mixing;
      if (!h.range.kind) h.range = other.range;
      break;
    case Part::kRange: h.range = other.range; break;
    case Part::kResampling:
      h.resampling = other.resampling;
      h.rounding = other.rounding;
      break;
    case Part::kFraming:
      h.framing = other.framing;
      h.fill = other.fill;
      h.channel_fill = other.channel_fill;
      break;
    case Part::kFill:
      h.fill = other.fill;
      h.channel_fill = other.channel_fill;
      break;
    case Part::kOrientation:
      h.orientation = other.orientation;
      h.turned_last = other.turned_last;
      break;
    case Part::kOrder: h.order = other.order; break;
    case Part::kSign: h.flipped = other.flipped; break;
    case Part::kTouch:
      h.tone_step = other.tone_step;
      h.tone_step_first = other.tone_step_first;
      break;
    case Part::kDecode:
      h.decode = other.decode;
      h.decode_is_fault = other.decode_is_fault;
      h.decode_text = other.decode_text;
      break;
  }
  return h;
}

bool is_gray(const Mixing& mixing) {
  for (const auto& row : mixing.rows)
    if (row != mixing.rows.front() || std::count(row.begin(), row.end(), 0.0) == 2) return false;
  return !mixing.rows.empty();
}

ToneStep tone_step_of(const Hypothesis& h) {
  ToneStep tone_step;
  if (h.tone_step && !h.tone_step_first) tone_step.step = h.tone_step;
  const bool tone = tone_step.step && std::holds_alternative<preprocess::Tone>(*tone_step.step);
  tone_step.gray = is_gray(h.mixing) && (tone || (h.gray_rounded && !h.tone_step));
  if (tone_step.gray) tone_step.weights = h.mixing.rows.front();
  return tone_step;
}

namespace {

/// Pixels after geometry and its rounding, with filled bars.
std::optional<preprocess::Raster> laid_pixels(Frame& frame, const Reference& reference,
                                              const Hypothesis& h) {
  const auto steps = geometric_steps(h);
  const auto g = geometry(steps, frame.upright.height, frame.upright.width);
  if (!g || g->height != reference.height || g->width != reference.width) return std::nullopt;
  const int c = frame.channels();
  if (h.rounding == Rounding::kOpencv || h.rounding == Rounding::kPillow) {
    TensorSpec spec{"pixels", DType::kFloat32, {1, g->height, g->width, c}, {}};
    if (auto made = preprocess::apply({steps, ""}, frame.upright, spec))
      if (auto values = to_float(*made))
        return preprocess::Raster{g->height, g->width, c, std::move(*values)};
    // This kernel lacks that arithmetic: falls back to real values.
  }
  if (g->turned && frame.transposed.pixels.empty()) frame.transposed = laid_as(frame.upright, 7);
  auto content = project(frame.laid(g->turned), *g);
  if (h.rounding != Rounding::kFloat)
    for (float& v : content.values) v = std::floor(std::clamp(v, 0.f, 255.f) + 0.5f);
  if (!g->has_letterbox()) return content;
  preprocess::Raster out{g->height, g->width, c, {}};
  out.values.assign(std::size_t(g->height) * g->width * c, float(h.fill));
  if (int(h.channel_fill.size()) == c)
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.values[i] = float(h.channel_fill[i % std::size_t(c)]);
  for (int y = 0; y < content.height; ++y)
    std::copy_n(content.values.begin() + std::ptrdiff_t(y) * content.width * c, content.width * c,
                out.values.begin() + (std::ptrdiff_t(g->top + y) * g->width + g->left) * c);
  return out;
}

}  // namespace

std::optional<preprocess::Raster> pixels(Frame& frame, const Reference& reference,
                                         const Hypothesis& h) {
  Frame* seen = seen_as(frame, {h.decode, h.tone_step_first ? h.tone_step : std::nullopt});
  if (!seen) return std::nullopt;
  auto made = laid_pixels(*seen, reference, h);
  if (made) apply_tone_step(*made, tone_step_of(h));
  return made;
}

namespace {

/// Lines that standardise these pixels.
Range standardizing(const preprocess::Raster& from, const Hypothesis& h, int channels) {
  Range range = h.range;
  const std::size_t n = from.values.size() / std::size_t(from.channels);
  const bool by_channel = !range.steps.empty() &&
                          std::holds_alternative<preprocess::Standardize>(range.steps.back()) &&
                          std::get<preprocess::Standardize>(range.steps.back()).by_channel;
  std::vector<double> sum(std::size_t(channels), 0), squares(std::size_t(channels), 0);
  for (int q = 0; q < channels; ++q)
    for (std::size_t p = 0; p < n; ++p) {
      double v = 0;
      for (int i = 0; i < 3; ++i)
        v += h.mixing.rows[q][i] *
             double(from.values[p * from.channels + (from.channels == 1 ? 0 : i)]);
      sum[q] += v;
      squares[q] += v * v;
    }
  if (!by_channel) {
    double all = 0, all_squares = 0;
    for (int q = 0; q < channels; ++q) {
      all += sum[q];
      all_squares += squares[q];
    }
    std::fill(sum.begin(), sum.end(), all / channels);
    std::fill(squares.begin(), squares.end(), all_squares / channels);
  }
  for (int q = 0; q < channels; ++q) {
    const double mean = sum[q] / double(n),
                 variance = std::max(0.0, squares[q] / double(n) - mean * mean);
    const double deviation =
        std::max(std::sqrt(variance), 1 / std::sqrt(double(n) * (by_channel ? 1 : channels)));
    range.gain[q] = 1 / deviation;
    range.offset[q] = -mean / deviation;
  }
  return range;
}

}  // namespace

preprocess::Raster stored_values(const preprocess::Raster& from, const Reference& reference,
                                 const Hypothesis& h) {
  const int c = reference.channels, k = from.channels;
  const Range range = h.range.per_picture ? standardizing(from, h, c) : h.range;
  preprocess::Raster out{from.height, from.width, c,
                         std::vector<float>(std::size_t(from.height) * from.width * c)};
  for (int q = 0; q < c; ++q) {
    double w[3] = {}, offset = range.offset[q];
    for (int i = 0; i < 3; ++i) w[k == 1 ? 0 : i] += h.mixing.rows[q][i] * range.gain[q];
    const float low = float(reference.lowest), high = float(reference.highest);
    const std::size_t n = std::size_t(from.height) * from.width;
    for (std::size_t p = 0; p < n; ++p) {
      double v = offset;
      if (h.mixing.rounded) {
        double sum = h.mixing.shift_of(std::size_t(q));
        for (int i = 0; i < 3; ++i)
          sum += h.mixing.rows[q][i] * double(from.values[p * k + (k == 1 ? 0 : i)]);
        v += range.gain[q] * preprocess::whole(sum);
      } else {
        for (int i = 0; i < k; ++i) v += w[i] * double(from.values[p * k + i]);
      }
      out.values[p * c + q] = reference.coded ? std::clamp(float(v), low, high) : float(v);
    }
  }
  return out;
}

preprocess::Raster target_values(const Frame& frame, const Reference& reference,
                                 const Hypothesis& h) {
  return arranged(h.flipped ? sign_flipped(frame.stored, reference.lowest) : frame.stored, h.order,
                  reference.height, reference.width, reference.channels);
}

double residual_of(const preprocess::Raster& from, const preprocess::Raster& target,
                   const Reference& reference, const Hypothesis& h, double gain) {
  const auto made = stored_values(from, reference, h);
  double sum = 0;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    double d = double(target.values[i]) - double(made.values[i]);
    if (reference.coded)
      d = std::abs(d) <= 0.501 ? 0 : double(target.values[i]) - std::round(double(made.values[i]));
    sum += d * d;
  }
  return std::sqrt(sum / double(made.values.size())) / std::max(gain, 1e-300);
}

std::optional<double> residual_of(Frame& frame, const Reference& reference, const Hypothesis& h,
                                  double gain) {
  const auto from = pixels(frame, reference, h);
  if (!from) return std::nullopt;
  return residual_of(*from, target_values(frame, reference, h), reference, h, gain);
}

namespace {

/// Recipe steps for a hypothesis' channel mixture.
std::vector<Step> color_steps(const Reference& reference, const Hypothesis& h,
                              const Hypothesis& own) {
  if (h.mixing == own.mixing) return reference.color_steps;
  if (h.mixing.order) return {preprocess::Color{*h.mixing.order}};
  if (h.mixing.matrix) {
    preprocess::Matrix matrix{
        {}, h.mixing.shift.empty() ? std::vector<double>{0} : h.mixing.shift, Rounding::kUint8};
    for (const auto& weights : h.mixing.rows)
      matrix.rows.insert(matrix.rows.end(), weights.begin(), weights.end());
    return {matrix};
  }
  const auto& row = h.mixing.rows.front();
  preprocess::Gray gray{reference.channels == 3, Rounding::kFloat, {}};
  if (!h.mixing.gray_step) gray.weights.assign(row.begin(), row.end());
  return {gray};
}

/// The steps of the range. Channels that are exchanged after the reference's own range keep their
/// numbers, and the recipe exchanges the channels first.
std::vector<Step> range_steps(const Hypothesis& h, const Hypothesis& own) {
  std::vector<Step> steps = h.range.steps;
  const bool as_own = h.range.gain == own.range.gain && h.range.offset == own.range.offset;
  if (h.range.kind || as_own || h.mixing == own.mixing || own.mixing.rows.size() != 3) return steps;
  std::vector<std::size_t> from;
  for (const auto& row : h.mixing.rows) {
    const auto at = std::find(own.mixing.rows.begin(), own.mixing.rows.end(), row);
    if (at == own.mixing.rows.end()) return steps;
    from.push_back(std::size_t(at - own.mixing.rows.begin()));
  }
  const auto exchange = [&](std::vector<double>& values) {
    if (values.size() != from.size()) return;
    const std::vector<double> before = values;
    for (std::size_t c = 0; c < from.size(); ++c) values[c] = before[from[c]];
  };
  for (Step& step : steps)
    if (auto* normalize = std::get_if<preprocess::Normalize>(&step)) {
      exchange(normalize->mean);
      exchange(normalize->std);
    }
  return steps;
}

}  // namespace

preprocess::Recipe recipe_of(const Reference& reference, const Hypothesis& h,
                             const Hypothesis& own) {
  bool equal = true;
  for (Part part : kParts) equal = equal && !differs(h, own, part);
  if (equal && h.rounding == own.rounding) return reference.healthy;
  preprocess::Recipe recipe;
  if (h.decode && h.decode_is_fault) recipe.steps.push_back(*h.decode);
  if (h.tone_step && h.tone_step_first) recipe.steps.push_back(*h.tone_step);
  const auto geometric = geometric_steps(h);
  recipe.steps.insert(recipe.steps.end(), geometric.begin(), geometric.end());
  auto color = color_steps(reference, h, own);
  const bool gray_first = tone_step_of(h).gray;
  if (h.tone_step && !h.tone_step_first && !gray_first) recipe.steps.push_back(*h.tone_step);
  if (gray_first)
    for (Step& step : color)
      if (auto* gray = std::get_if<preprocess::Gray>(&step);
          gray && gray->rounding == Rounding::kFloat)
        gray->rounding = Rounding::kUint8;
  recipe.steps.insert(recipe.steps.end(), color.begin(), color.end());
  if (gray_first && color.empty())
    recipe.steps.push_back(preprocess::Gray{reference.channels == 3, Rounding::kUint8, {}});
  if (gray_first && h.tone_step) recipe.steps.push_back(*h.tone_step);
  const auto range = range_steps(h, own);
  recipe.steps.insert(recipe.steps.end(), range.begin(), range.end());
  // Keeps codes as the recipe defines them: a detour through real values would round halves
  // differently.
  const bool as_stated = reference.codes && !h.range.kind;
  if (as_stated) recipe.steps.pop_back();
  if (h.order != reference.order)
    recipe.steps.push_back(preprocess::Layout{reference.order == Order::kChw, memory_of(h.order)});
  for (Step step : tail_steps(reference)) {
    if (std::holds_alternative<preprocess::Layout>(step) && h.order != reference.order) continue;
    if (auto* quantize = std::get_if<preprocess::Quantize>(&step); quantize && h.range.quantize)
      *quantize = *h.range.quantize;
    if ((h.range.unquantized || as_stated) && std::holds_alternative<preprocess::Quantize>(step))
      step = preprocess::Cast{reference.target.dtype};
    if (h.flipped) {
      if (std::holds_alternative<preprocess::Cast>(step)) {
        recipe.steps.push_back(step);
        step = preprocess::Quantize{1.0, 0};
      }
      if (auto* quantize = std::get_if<preprocess::Quantize>(&step)) quantize->sign_flipped = true;
    }
    recipe.steps.push_back(step);
  }
  return recipe;
}

}  // namespace edgeprobe::diagnose
