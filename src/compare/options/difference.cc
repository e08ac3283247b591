// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compare/align/op_kind.h"
#include "compare/options/read.h"
#include "core/index.h"

namespace edgeprobe::compare {
namespace {

using Value = model::AttributeValue;

bool equal(const Value& a, const Value& b) {
  const auto *x = std::get_if<float>(&a), *y = std::get_if<float>(&b);
  if (x && y)
    return *x == *y || (std::isnan(*x) && std::isnan(*y)) ||
           std::fabs(double{*x} - double{*y}) <= 1e-6 * std::fabs(double{*x});
  return a == b;
}

const Value* value_of(const OperatorOptions& options, const std::string& name) {
  const auto found = options.values.find(name);
  return found == options.values.end() ? nullptr : &found->second;
}

std::string text_in(const OperatorOptions& options, const std::string& name) {
  const Value* const value = value_of(options, name);
  const auto* const text = value ? std::get_if<std::string>(value) : nullptr;
  return text ? *text : "";
}

// Input coordinate of a resized output's place (https://onnx.ai/onnx/operators/onnx__Resize.html).
std::optional<double> place_in(const std::string& coordinates, std::int64_t place, std::int64_t in,
                               std::int64_t out) {
  const double scale = static_cast<double>(in) / static_cast<double>(out),
               x = static_cast<double>(place);
  if (coordinates == "asymmetric") return x * scale;
  if (coordinates == "half_pixel" || coordinates == "half_pixel_symmetric")
    return (x + 0.5) * scale - 0.5;
  if (coordinates == "pytorch_half_pixel") return out > 1 ? (x + 0.5) * scale - 0.5 : 0;
  if (coordinates == "tf_half_pixel_for_nn") return (x + 0.5) * scale;
  if (coordinates == "align_corners")
    return out > 1 ? x * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return std::nullopt;
}

double rounded(double place, const std::string& rounding) {
  constexpr double kTiny = 1e-6;  // Tolerance for coordinates that rounding moved off a half.
  if (rounding == "floor") return std::floor(place + kTiny);
  if (rounding == "ceil") return std::ceil(place - kTiny);
  return rounding == "round_prefer_ceil" ? std::floor(place + 0.5 + kTiny)
                                         : std::ceil(place - 0.5 - kTiny);
}

// The input places that a resize of these dimensions reads, clamped to the input; empty if they are
// unknown.
std::vector<double> places(const OptionSource& source, const OperatorOptions& options) {
  const OperatorReader op(source, options.layer);
  const Wholes in = op.spatial(op.input_shape(0)), out = op.spatial(op.output_shape());
  std::vector<double> found;
  const std::string mode = text_in(options, "mode");
  if (in.empty() || in.size() != out.size() || (mode != "nearest" && mode != "linear"))
    return found;
  const std::string how = text_in(options, "coordinates");
  const std::size_t comma = how.find(", ");
  for (std::size_t d = 0; d < in.size(); ++d)
    for (std::int64_t i = 0; i < std::min<std::int64_t>(out[d], 4096); ++i) {
      auto place = place_in(how.substr(0, comma), i, in[d], out[d]);
      if (!place) return {};
      if (mode == "nearest") *place = rounded(*place, how.substr(comma + 2));
      found.push_back(std::clamp(*place, 0.0, static_cast<double>(in[d] - 1)));
    }
  return found;
}

bool same_places(const OptionSource& reference, const OperatorOptions& r,
                 const OptionSource& target, const OperatorOptions& t) {
  if (text_in(r, "mode") != text_in(t, "mode")) return false;
  const auto in_r = places(reference, r), in_t = places(target, t);
  return !in_r.empty() && std::equal(in_r.begin(), in_r.end(), in_t.begin(), in_t.end(),
                                     [](double a, double b) { return std::fabs(a - b) < 1e-4; });
}

// Converts one or several axes to the reference's order.
Value in_reference(const Value& value, const std::vector<int>& order) {
  if (const auto* axis = std::get_if<std::int64_t>(&value); axis && *axis >= 0) {
    for (std::size_t d = 0; d < order.size(); ++d)
      if (order[d] == *axis) return static_cast<std::int64_t>(d);
  }
  if (const auto* axes = std::get_if<Wholes>(&value)) {
    Wholes moved;
    for (const std::int64_t axis : *axes)
      moved.push_back(std::get<std::int64_t>(in_reference(axis, order)));
    std::sort(moved.begin(), moved.end());
    return moved;
  }
  return value;
}

bool is_matrix_constant(const OptionSource& source, const OperatorOptions& options) {
  const model::Layer& layer = source.graph.layers[at(options.layer)];
  return layer.inputs.size() > 1 && layer.inputs[1] >= 0 &&
         source.graph.tensors[at(layer.inputs[1])].is_constant;
}

// A transposed weight with its transpose flag set computes the same product; compare flags only if
// layouts match.
bool is_another_product(const OptionSource& reference, const OperatorOptions& r,
                        const OptionSource& target, const OperatorOptions& t) {
  if (!is_matrix_constant(reference, r) || !is_matrix_constant(target, t)) return true;
  const OperatorReader in_r(reference, r.layer), in_t(target, t.layer);
  const Shape *a = in_r.input_shape(1), *b = in_t.input_shape(1);
  if (!a || !b || *a != *b) return false;
  const auto stored_r = model::constant(reference.graph, reference.file, in_r.layer().inputs[1]),
             stored_t = model::constant(target.graph, target.file, in_t.layer().inputs[1]);
  return stored_r && stored_t && stored_r->bytes == stored_t->bytes;
}

bool is_zero(const Value* padding) {
  const auto* const list = padding ? std::get_if<Wholes>(padding) : nullptr;
  return list && std::all_of(list->begin(), list->end(), [](std::int64_t one) { return one == 0; });
}

bool is_counted(const OperatorOptions& options) {
  const Value* const counted = value_of(options, "padding_counted");
  return counted && *counted == Value(true) && !is_zero(value_of(options, "padding"));
}

// True for windows that cover the same places: padding at the end and rounding up are equivalent if
// they do not count.
bool same_reach(const OperatorOptions& r, const OperatorOptions& t) {
  return (r.kind == "maxpool" || r.kind == "avgpool") && !r.reach.empty() && r.reach == t.reach &&
         !is_counted(r) && !is_counted(t);
}

}  // namespace

std::vector<OptionDifference> option_differences(const OptionSource& reference,
                                                 const OperatorOptions& r,
                                                 const OptionSource& target,
                                                 const OperatorOptions& t,
                                                 const std::vector<int>& reference_of_target) {
  std::vector<OptionDifference> different;
  const bool one_format = reference.graph.format == target.graph.format;
  if (r.kind != t.kind) {
    different.push_back({"operator", r.kind, t.kind});
    return different;
  }
  if (r.own_words && !(one_format && reference.graph.layers[at(r.layer)].type ==
                                         target.graph.layers[at(t.layer)].type))
    return different;
  if (r.kind == "resize" && same_places(reference, r, target, t)) return different;
  const bool one_reach = same_reach(r, t);
  std::vector<std::string> names;
  for (const OperatorOptions* side : {&r, &t})
    for (const auto& [name, value] : side->values) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    const Value *of_r = value_of(r, name), *of_t = value_of(t, name);
    if (one_reach && (name == "padding" || name == "ceil_mode" || name == "padding_counted"))
      continue;
    if (name == "padding_counted" && is_zero(value_of(r, "padding"))) continue;
    if (!one_format && (name == "keep_dims" || name == "gates" || name == "input_forget")) continue;
    std::optional<Value> absent;
    if (r.own_words && (!of_r || !of_t)) {
      const OptionSource& side = of_r ? target : reference;
      absent =
          model::default_attribute(side.graph, side.graph.layers[at((of_r ? t : r).layer)], name);
      if (!absent) continue;
      (of_r ? of_t : of_r) = &*absent;
    }
    if (!of_r || !of_t) continue;
    const bool is_axis = name == "axis" || name == "axes";
    const Value moved = is_axis ? in_reference(*of_t, reference_of_target) : *of_t;
    if (equal(*of_r, moved)) continue;
    if (name == "transpose_b" && !is_another_product(reference, r, target, t)) continue;
    different.push_back({name, *of_r, *of_t});
  }
  return different;
}

}  // namespace edgeprobe::compare
