#include "diagnose/input/hypothesis.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

using preprocess::Rounding;
using preprocess::Step;

std::vector<Step> filled(std::vector<Step> steps, double fill) {
  for (auto& step : steps)
    if (auto* bars = std::get_if<preprocess::Letterbox>(&step)) bars->fill = fill;
  return steps;
}

std::vector<Step> geometric_steps(const Hypothesis& h) {
  return filled(steps_of(h.framing, h.orientation, h.resampling, h.rounding), h.fill);
}

/// Framings are compared without kernel and fill: those are parts of their own.
std::vector<Step> bare(const Framing& framing) {
  return filled(with_resampling(framing.steps, {}, Rounding::kFloat), 0);
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
  h.mixing = reference.mixing;
  h.range = own_range;
  h.order = reference.order;
  for (const Step& step : reference.geometry)
    if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) h.fill = bars->fill;
  return h;
}

bool differs(const Hypothesis& a, const Hypothesis& b, Part part) {
  switch (part) {
    case Part::kMixing: return !(a.mixing == b.mixing);
    case Part::kRange:
      // The reference's own range stays its own when the channels were exchanged behind it.
      return !(a.range.kind.empty() && b.range.kind.empty()) &&
             (a.range.gain != b.range.gain || a.range.offset != b.range.offset);
    case Part::kResampling: return !(a.resampling == b.resampling);
    case Part::kFraming: return a.framing.reference != b.framing.reference && !same_steps(bare(a.framing), bare(b.framing));
    case Part::kFill: return a.framing.has_bars() && b.framing.has_bars() && a.fill != b.fill;
    case Part::kOrientation: return a.orientation != b.orientation;
    case Part::kOrder: return a.order != b.order;
    case Part::kSign: return a.flipped != b.flipped;
  }
  return false;
}

Hypothesis with(Hypothesis h, const Hypothesis& other, Part part) {
  switch (part) {
    case Part::kMixing:
      h.mixing = other.mixing;
      if (h.range.kind.empty()) h.range = other.range;
      break;
    case Part::kRange: h.range = other.range; break;
    case Part::kResampling:
      h.resampling = other.resampling;
      h.rounding = other.rounding;
      break;
    case Part::kFraming:
      h.framing = other.framing;
      h.fill = other.fill;
      break;
    case Part::kFill: h.fill = other.fill; break;
    case Part::kOrientation: h.orientation = other.orientation; break;
    case Part::kOrder: h.order = other.order; break;
    case Part::kSign: h.flipped = other.flipped; break;
  }
  return h;
}

std::optional<preprocess::Raster> pixels(Frame& frame, const Reference& reference, const Hypothesis& h) {
  const auto steps = geometric_steps(h);
  const auto g = geometry(steps, frame.upright.height, frame.upright.width);
  if (!g || g->height != reference.height || g->width != reference.width) return std::nullopt;
  const int c = frame.channels();
  if (h.rounding == Rounding::kOpencv || h.rounding == Rounding::kPillow) {
    TensorSpec spec{"pixels", DType::kFloat32, {1, g->height, g->width, c}, {}};
    if (auto made = preprocess::apply({steps, ""}, frame.upright, spec))
      if (auto values = to_float(*made)) return preprocess::Raster{g->height, g->width, c, std::move(*values)};
    // This kernel has no such arithmetic: real values are the next best.
  }
  if (g->turned && frame.transposed.pixels.empty()) frame.transposed = oriented(frame.upright, 7);
  auto content = project(frame.laid(g->turned), *g);
  if (h.rounding != Rounding::kFloat)
    for (float& v : content.values) v = std::floor(std::clamp(v, 0.f, 255.f) + 0.5f);
  if (!g->has_bars()) return content;
  preprocess::Raster out{g->height, g->width, c, {}};
  out.values.assign(std::size_t(g->height) * g->width * c, float(h.fill));
  for (int y = 0; y < content.height; ++y)
    std::copy_n(content.values.begin() + std::ptrdiff_t(y) * content.width * c, content.width * c,
                out.values.begin() + (std::ptrdiff_t(g->top + y) * g->width + g->left) * c);
  return out;
}

preprocess::Raster stored_values(const preprocess::Raster& from, const Reference& reference, const Hypothesis& h) {
  const int c = reference.channels, k = from.channels;
  preprocess::Raster out{from.height, from.width, c, std::vector<float>(std::size_t(from.height) * from.width * c)};
  for (int q = 0; q < c; ++q) {
    double w[3] = {}, offset = h.range.offset[q];
    for (int i = 0; i < 3; ++i) w[k == 1 ? 0 : i] += h.mixing.rows[q][i] * h.range.gain[q];
    const float low = float(reference.lowest), high = float(reference.highest);
    const std::size_t n = std::size_t(from.height) * from.width;
    for (std::size_t p = 0; p < n; ++p) {
      double v = offset;
      for (int i = 0; i < k; ++i) v += w[i] * double(from.values[p * k + i]);
      out.values[p * c + q] = reference.coded ? std::clamp(float(v), low, high) : float(v);
    }
  }
  return out;
}

preprocess::Raster target_values(const Frame& frame, const Reference& reference, const Hypothesis& h) {
  return arranged(h.flipped ? sign_flipped(frame.stored, reference.lowest) : frame.stored, h.order, reference.height,
                  reference.width, reference.channels);
}

double residual(const preprocess::Raster& from, const preprocess::Raster& target, const Reference& reference,
                const Hypothesis& h, double gain) {
  const auto made = stored_values(from, reference, h);
  double sum = 0;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    double d = double(target.values[i]) - double(made.values[i]);
    if (reference.coded) d = std::abs(d) <= 0.501 ? 0 : double(target.values[i]) - std::round(double(made.values[i]));
    sum += d * d;
  }
  return std::sqrt(sum / double(made.values.size())) / std::max(gain, 1e-300);
}

std::optional<double> residual(Frame& frame, const Reference& reference, const Hypothesis& h, double gain) {
  const auto from = pixels(frame, reference, h);
  if (!from) return std::nullopt;
  return residual(*from, target_values(frame, reference, h), reference, h, gain);
}

bool can_be_said(const Mixing& mixing) {
  return mixing.name == "BGR" || mixing.name == "RGB" || mixing.name == "gray";
}

preprocess::Recipe recipe_of(const Reference& reference, const Hypothesis& h, const Hypothesis& own) {
  bool equal = true;
  for (Part part : kParts) equal = equal && !differs(h, own, part);
  if (equal && h.rounding == own.rounding) return reference.healthy;
  preprocess::Recipe recipe;
  recipe.steps = geometric_steps(h);
  const bool mixed_as_reference = h.mixing == own.mixing;
  if (mixed_as_reference) {
    recipe.steps.insert(recipe.steps.end(), reference.color_steps.begin(), reference.color_steps.end());
  } else if (h.mixing.name == "BGR" || h.mixing.name == "RGB") {
    recipe.steps.push_back(preprocess::Color{h.mixing.name == "BGR"});
  } else if (h.mixing.name == "gray") {
    recipe.steps.push_back(preprocess::Gray{reference.channels == 3});
  }
  recipe.steps.insert(recipe.steps.end(), h.range.steps.begin(), h.range.steps.end());
  if (h.order != reference.order)
    recipe.steps.push_back(preprocess::Layout{reference.order == Order::kChw, memory_of(h.order)});
  for (Step step : tail_steps(reference)) {
    if (std::holds_alternative<preprocess::Layout>(step) && h.order != reference.order) continue;
    if (auto* quantize = std::get_if<preprocess::Quantize>(&step); quantize && h.range.quantize) *quantize = *h.range.quantize;
    if (h.range.unquantized && std::holds_alternative<preprocess::Quantize>(step))
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
