// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/onnx/infer.h"

namespace edgeprobe::model::onnx {
namespace {

using List = std::vector<std::int64_t>;
using Values = std::optional<List>;

constexpr std::int64_t kMost = std::int64_t{1} << 31;

bool is_small(std::int64_t value) { return value > -kMost && value < kMost; }

Values shape_of(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  const std::int64_t rank = std::ssize(*x);
  const auto bound = [&](std::int64_t at) {
    return std::max<std::int64_t>(0, std::min(at < 0 ? std::max(at, -rank) + rank : at, rank));
  };
  const std::int64_t start = bound(facts.node.integer("start", 0)),
                     end = bound(facts.node.integer("end", rank));
  if (start >= end) return List{};
  List part(x->begin() + start, x->begin() + end);
  if (std::count(part.begin(), part.end(), -1)) return std::nullopt;
  return part;
}

Values gathered(const Facts& facts) {
  const List *values = facts.integers(0), *indices = facts.integers(1);
  if (!values || !indices || !facts.shape(0) || facts.shape(0)->size() != 1) return std::nullopt;
  List out;
  for (const std::int64_t index : *indices) {
    const auto at = axis_of(index, values->size());
    if (!at) return std::nullopt;
    out.push_back((*values)[*at]);
  }
  return out;
}

Values concatenated(const Facts& facts) {
  List out;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const List* more = facts.integers(i);
    if (!more || out.size() + more->size() > kMostValues) return std::nullopt;
    out.insert(out.end(), more->begin(), more->end());
  }
  return out;
}

Values sliced(const Facts& facts) {
  const List *values = facts.integers(0), *starts = facts.list(1, "starts"),
             *ends = facts.list(2, "ends"), *steps = facts.integers(4);
  if (!values || !starts || !ends || starts->size() != 1 || ends->size() != 1 ||
      (facts.input(4) && !steps))
    return std::nullopt;
  if (!facts.shape(0) || facts.shape(0)->size() != 1 ||
      (steps && (steps->size() != 1 || steps->front() != 1)))
    return std::nullopt;
  const std::int64_t size = std::ssize(*values);
  const auto bound = [&](std::int64_t at) {
    return std::max<std::int64_t>(0, std::min(at < 0 ? std::max(at, -size) + size : at, size));
  };
  const std::int64_t start = bound(starts->front()), end = bound(ends->front());
  return start < end ? List(values->begin() + start, values->begin() + end) : List{};
}

Values combined(const Facts& facts, char how) {
  const List *a = facts.integers(0), *b = facts.integers(1);
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  const std::size_t count = std::max(a->size(), b->size());
  if ((a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1))
    return std::nullopt;
  List out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t x = (*a)[a->size() == 1 ? 0 : i], y = (*b)[b->size() == 1 ? 0 : i];
    if (!is_small(x) || !is_small(y) || (how == '/' && y == 0)) return std::nullopt;
    out.push_back(how == '+' ? x + y : how == '-' ? x - y : how == '*' ? x * y : x / y);
  }
  return out;
}

}  // namespace

std::optional<std::vector<std::int64_t>> computed_integers(const Facts& facts) {
  const std::string_view type = facts.node.type;
  if (!facts.node.domain.empty() && facts.node.domain != "ai.onnx") return std::nullopt;
  if (type == "Shape") return shape_of(facts);
  if (type == "Gather") return gathered(facts);
  if (type == "Concat") return concatenated(facts);
  if (type == "Slice") return sliced(facts);
  if (type == "Add") return combined(facts, '+');
  if (type == "Sub") return combined(facts, '-');
  if (type == "Mul") return combined(facts, '*');
  if (type == "Div") return combined(facts, '/');
  const bool keeps = type == "Unsqueeze" || type == "Squeeze" || type == "Identity" ||
                     type == "Reshape" || type == "Cast";
  if (!keeps || !facts.integers(0)) return std::nullopt;
  if (type == "Cast" && facts.node.integer("to", 0) != 7 && facts.node.integer("to", 0) != 6)
    return std::nullopt;
  return *facts.integers(0);
}

}  // namespace edgeprobe::model::onnx
