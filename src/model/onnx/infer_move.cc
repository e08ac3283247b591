// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "model/onnx/infer.h"

namespace edgeprobe::model::onnx {
namespace {

using List = std::vector<std::int64_t>;

constexpr std::int64_t kMostSize = std::int64_t{1} << 53;

std::int64_t clamped(std::int64_t value, std::int64_t least, std::int64_t most) {
  return std::max(least, std::min(value, most));
}

Inferred reshaped(const Facts& facts) {
  const List* wanted = facts.list(1, "shape");
  const Shape* x = facts.shape(0);
  if (!wanted) {
    // The number of dimensions is the length of the list.
    const Shape* list = facts.shape(1);
    if (!list || list->size() != 1 || list->front() < 0 ||
        list->front() > static_cast<std::int64_t>(kMostFactDimensions))
      return std::nullopt;
    return Shape(static_cast<std::size_t>(list->front()), -1);
  }
  if (wanted->size() > kMostFactDimensions) return std::nullopt;
  Shape out = *wanted;
  const bool zero_is_zero = facts.node.integer("allowzero", 0) != 0;
  std::ptrdiff_t open = -1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !zero_is_zero) out[i] = x && i < x->size() ? (*x)[i] : -1;
    else if (out[i] == -1 && open < 0) open = static_cast<std::ptrdiff_t>(i);
    else if (out[i] < 0) return std::nullopt;
  }
  if (open < 0 || !x) return out;
  out[static_cast<std::size_t>(open)] = 1;
  const auto all = product(*x, 0, x->size()), rest = product(out, 0, out.size());
  const bool divides = all && rest && *rest > 0 && *all % *rest == 0;
  out[static_cast<std::size_t>(open)] = divides ? *all / *rest : -1;
  return out;
}

Inferred flattened(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return Shape{-1, -1};
  const std::int64_t axis = facts.node.integer("axis", 1), rank = std::ssize(*x);
  if (axis < -rank || axis > rank) return std::nullopt;
  const auto cut = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  return Shape{product(*x, 0, cut).value_or(-1), product(*x, cut, x->size()).value_or(-1)};
}

Inferred permuted(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  const List* order = facts.node.integers("perm");
  Shape out;
  for (std::size_t i = 0; i < x->size(); ++i) {
    const auto from = order ? (i < order->size() ? axis_of((*order)[i], x->size()) : std::nullopt)
                            : x->size() - 1 - i;
    if (!from) return std::nullopt;
    out.push_back((*x)[*from]);
  }
  return out;
}

// QLinearConcat has a scale and a zero point after each of its inputs, and two for the output
// before them.
Inferred joined(const Facts& facts, std::size_t first, std::size_t step) {
  if (first >= facts.inputs.size() || !facts.shape(first)) return std::nullopt;
  Shape out = *facts.shape(first);
  const auto axis = axis_of(facts.node.integer("axis", 1), out.size());
  if (!axis) return std::nullopt;
  for (std::size_t i = first + step; i < facts.inputs.size(); i += step) {
    const Shape* more = facts.shape(i);
    if (!more || more->size() != out.size()) return std::nullopt;
    for (std::size_t a = 0; a < out.size(); ++a) {
      if (a == *axis)
        out[a] = out[a] < 0 || (*more)[a] < 0 || out[a] > kMostSize ? -1 : out[a] + (*more)[a];
      else if (out[a] < 0) out[a] = (*more)[a];
    }
  }
  return out;
}

Inferred squeezed(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  const List* axes = facts.list(1, "axes");
  if (!axes && facts.input(1)) return std::nullopt;
  std::vector<bool> gone(x->size());
  if (axes) {
    for (const std::int64_t one : *axes) {
      const auto axis = axis_of(one, x->size());
      if (!axis) return std::nullopt;
      gone[*axis] = true;
    }
  } else {
    if (std::count(x->begin(), x->end(), -1)) return std::nullopt;
    for (std::size_t i = 0; i < x->size(); ++i) gone[i] = (*x)[i] == 1;
  }
  Shape out;
  for (std::size_t i = 0; i < x->size(); ++i)
    if (!gone[i]) out.push_back((*x)[i]);
  return out;
}

Inferred unsqueezed(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const List* axes = facts.list(1, "axes");
  if (!x || !axes || x->size() + axes->size() > kMostFactDimensions) return std::nullopt;
  const std::size_t rank = x->size() + axes->size();
  std::vector<bool> added(rank);
  for (const std::int64_t one : *axes) {
    const auto axis = axis_of(one, rank);
    if (!axis || added[*axis]) return std::nullopt;
    added[*axis] = true;
  }
  Shape out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < rank; ++i) out.push_back(added[i] ? 1 : (*x)[from++]);
  return out;
}

Inferred padded(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const List* pads = facts.list(1, facts.opset < 2 ? "paddings" : "pads");
  if (!x) return std::nullopt;
  if (!pads || facts.input(3) || pads->size() != 2 * x->size()) return Shape(x->size(), -1);
  Shape out = *x;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] >= 0)
      out[i] = clamped(out[i], 0, kMostSize) + clamped((*pads)[i], -kMostSize, kMostSize) +
               clamped((*pads)[x->size() + i], -kMostSize, kMostSize);
  for (std::int64_t& dim : out) dim = std::max<std::int64_t>(dim, -1);
  return out;
}

Inferred sliced(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  const List *starts = facts.list(1, "starts"), *ends = facts.list(2, "ends"),
             *axes = facts.list(3, "axes");
  const List* steps = facts.integers(4);
  if (!starts || !ends || (facts.input(3) && !axes) || (facts.input(4) && !steps))
    return Shape(x->size(), -1);
  if (starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
      (steps && steps->size() != starts->size()))
    return std::nullopt;
  Shape out = *x;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = axis_of(axes ? (*axes)[i] : static_cast<std::int64_t>(i), x->size());
    if (!axis) return std::nullopt;
    const std::int64_t size = (*x)[*axis], step = steps ? (*steps)[i] : 1;
    if (size < 0 || step == 0 || step == std::numeric_limits<std::int64_t>::min()) {
      out[*axis] = -1;
      continue;
    }
    const auto from_front = [&](std::int64_t at) {
      return at < 0 ? std::max(at, -size - 1) + size : at;
    };
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const std::int64_t start =
        clamped(from_front((*starts)[i]), std::max<std::int64_t>(low, 0), high);
    const std::int64_t end = clamped(from_front((*ends)[i]), low, high);
    const std::int64_t length = step > 0 ? end - start : start - end,
                       stride = step > 0 ? step : -step;
    out[*axis] = length <= 0 ? 0 : (length - 1) / stride + 1;
  }
  return out;
}

Inferred gathered(const Facts& facts) {
  const Shape *x = facts.shape(0), *indices = facts.shape(1);
  if (!x || !indices || x->size() + indices->size() > kMostFactDimensions) return std::nullopt;
  const auto axis = axis_of(facts.node.integer("axis", 0), x->size());
  if (!axis) return std::nullopt;
  Shape out(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(*axis));
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), x->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x->end());
  return out;
}

Inferred listed(const List* sizes) {
  if (!sizes || sizes->size() > kMostFactDimensions) return std::nullopt;
  if (std::any_of(sizes->begin(), sizes->end(), [](std::int64_t d) { return d < 0; }))
    return std::nullopt;
  return *sizes;
}

Inferred expanded(const Facts& facts) {
  const Inferred wanted = listed(facts.integers(1));
  return wanted ? broadcast({facts.shape(0), &*wanted}) : std::nullopt;
}

Inferred tiled(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const List* repeats = facts.integers(1);
  if (!x) return std::nullopt;
  Shape out(x->size(), -1);
  if (!repeats || repeats->size() != x->size()) return out;
  for (std::size_t i = 0; i < out.size(); ++i)
    if ((*x)[i] >= 0 && (*repeats)[i] >= 0)
      out[i] = product({(*x)[i], (*repeats)[i]}, 0, 2).value_or(-1);
  return out;
}

Inferred resized(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  // Upsample and the first Resize take the scales first; later ones take a region, the scales and
  // the sizes.
  const bool early = facts.inputs.size() <= 2;
  const std::size_t scales_at = early ? 1 : 2;
  Shape out(x->size(), -1);
  if (facts.node.integers("axes")) return out;
  if (const Inferred sizes = listed(facts.integers(3)); sizes && sizes->size() == x->size())
    return *sizes;
  const Attribute* attribute = facts.node.attribute("scales");
  const std::vector<float>* scales = attribute ? &attribute->reals : nullptr;
  if (facts.input(scales_at) && facts.input(scales_at)->reals)
    scales = &*facts.input(scales_at)->reals;
  if (!scales || scales->size() != x->size()) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double size = static_cast<double>((*x)[i]) * static_cast<double>((*scales)[i]);
    if ((*x)[i] >= 0 && size >= 0 && size < static_cast<double>(kMostSize))
      out[i] = static_cast<std::int64_t>(size);
  }
  return out;
}

Inferred blocked(const Facts& facts, bool to_space) {
  const Shape* x = facts.shape(0);
  const std::int64_t block = facts.node.integer("blocksize", 0);
  if (!x || x->size() != 4 || block < 1 || block > 1 << 20) return std::nullopt;
  Shape out = *x;
  for (std::size_t i = 1; i < 4; ++i) {
    const bool grows = (i == 1) != to_space;
    const std::int64_t by = i == 1 ? block * block : block;
    if (out[i] >= 0) out[i] = grows ? product({out[i], by}, 0, 2).value_or(-1) : out[i] / by;
  }
  return out;
}

std::vector<Fact> split(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const Fact base = facts.input(0) ? Fact{facts.input(0)->typed,
                                          facts.input(0)->dtype,
                                          facts.input(0)->stored_type,
                                          false,
                                          {},
                                          {},
                                          {}}
                                   : Fact{};
  std::vector<Fact> parts(std::min(facts.outputs, std::size_t{1024}), base);
  if (!x || parts.empty()) return parts;
  const auto axis = axis_of(facts.node.integer("axis", 0), x->size());
  if (!axis) return parts;
  const List* sizes = facts.list(1, "split");
  const auto count = static_cast<std::int64_t>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].ranked = true;
    parts[i].shape = *x;
    std::int64_t& dim = parts[i].shape[*axis];
    const std::int64_t all = dim, each = all < 0 ? -1 : all / count + (all % count != 0);
    dim = -1;
    if (sizes && !sizes->empty()) {
      if (sizes->size() == parts.size()) dim = std::max<std::int64_t>(-1, (*sizes)[i]);
    } else if (!facts.input(1) && all >= 0) {
      dim = clamped(all - each * static_cast<std::int64_t>(i), 0, each);
    }
  }
  return parts;
}

Inferred reversed_depth(const Facts& facts) { return blocked(facts, false); }
Inferred depth_to_space(const Facts& facts) { return blocked(facts, true); }
Inferred concatenated(const Facts& facts) { return joined(facts, 0, 1); }
Inferred concatenated_codes(const Facts& facts) { return joined(facts, 2, 3); }

}  // namespace

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

std::optional<std::int64_t> product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t all = 1;
  for (std::size_t i = first; i < last; ++i) {
    if (shape[i] < 0 || (shape[i] != 0 && all > kMostSize / shape[i])) return std::nullopt;
    all *= shape[i];
  }
  return all;
}

std::optional<std::vector<Fact>> moved(const Facts& facts) {
  using Rule = Inferred (*)(const Facts&);
  static const std::unordered_map<std::string_view, Rule> kRules{
      {"Reshape", reshaped},
      {"Flatten", flattened},
      {"Transpose", permuted},
      {"Concat", concatenated},
      {"Squeeze", squeezed},
      {"Unsqueeze", unsqueezed},
      {"Pad", padded},
      {"Slice", sliced},
      {"Gather", gathered},
      {"Expand", expanded},
      {"Tile", tiled},
      {"Resize", resized},
      {"Upsample", resized},
      {"SpaceToDepth", reversed_depth},
      {"DepthToSpace", depth_to_space},
      {"com.microsoft:QLinearConcat", concatenated_codes}};
  const std::string type =
      facts.node.domain.empty() || facts.node.domain == "ai.onnx"
          ? std::string(facts.node.type)
          : std::string(facts.node.domain) + ":" + std::string(facts.node.type);
  if (type == "Split") return split(facts);
  const auto rule = kRules.find(type);
  if (rule == kRules.end()) return std::nullopt;
  Fact out;
  const std::size_t like = type == "com.microsoft:QLinearConcat" ? 1 : 0;
  if (const Fact* input = facts.input(like)) {
    out.typed = input->typed;
    out.dtype = input->dtype;
    out.stored_type = input->stored_type;
  }
  if (Inferred shape = rule->second(facts); shape && shape->size() <= kMostFactDimensions) {
    out.ranked = true;
    out.shape = *std::move(shape);
  }
  return std::vector<Fact>{std::move(out)};
}

}  // namespace edgeprobe::model::onnx
