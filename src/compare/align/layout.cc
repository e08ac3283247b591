// SPDX-License-Identifier: Apache-2.0
#include "compare/align/layout.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace edgeprobe::compare {
namespace {

Shape without_ones(const Shape& shape) {
  Shape kept;
  for (const std::int64_t dimension : shape)
    if (dimension != 1) kept.push_back(dimension);
  return kept;
}

bool same(const Shape& a, const Shape& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](std::int64_t x, std::int64_t y) { return x == y || x < 0 || y < 0; });
}

// Channels last to first and back, with and without a leading batch dimension.
std::vector<std::vector<int>> moves(std::size_t rank) {
  if (rank < 3 || rank > 5) return {};
  const int last = static_cast<int>(rank) - 1;
  std::vector<int> to_last{0}, to_second{0, last};
  for (int axis = 2; axis <= last; ++axis) to_last.push_back(axis);
  to_last.push_back(1);
  for (int axis = 1; axis < last; ++axis) to_second.push_back(axis);
  if (rank != 3) return {to_last, to_second};
  return {to_last, {1, 2, 0}, {2, 0, 1}};
}

}  // namespace

bool fits(const Shape& reference, const Shape& target, const std::vector<int>& permutation) {
  if (reference.size() != target.size() || permutation.size() != target.size()) return false;
  Shape moved;
  for (const int axis : permutation) moved.push_back(target[static_cast<std::size_t>(axis)]);
  return same(reference, moved);
}

std::optional<std::vector<int>> layout_of(const Shape& reference, const Shape& target) {
  if (same(reference, target)) return std::vector<int>{};
  const auto open = [](const Shape& shape) {
    return std::count_if(shape.begin(), shape.end(), [](auto d) { return d < 0; });
  };
  if (open(reference) == 0 && open(target) == 0 && without_ones(reference) == without_ones(target))
    return std::vector<int>{};
  for (const std::vector<int>& move : moves(reference.size()))
    if (fits(reference, target, move)) return move;
  return std::nullopt;
}

std::vector<std::vector<int>> layouts_of(const Shape& reference, const Shape& target) {
  const auto first = layout_of(reference, target);
  if (!first) return {};
  std::vector<std::vector<int>> found{*first};
  for (const std::vector<int>& move : moves(reference.size()))
    if (move != *first && fits(reference, target, move)) found.push_back(move);
  return found;
}

Result<Tensor> transposed(const TensorView& target, const std::vector<int>& permutation) {
  EP_TRY(const auto values, to_float(target));
  const Shape& shape = target.spec->shape;
  if (permutation.size() != shape.size())
    return Error{ErrorKind::kUsage, "a permutation of " + std::to_string(permutation.size()) +
                                        " axes for shape " + to_text(shape)};
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank, 1), step(rank), size(rank), at(rank, 0);
  for (std::size_t axis = rank; axis-- > 1;)
    stride[axis - 1] = stride[axis] * static_cast<std::size_t>(shape[axis]);
  Shape moved(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::size_t>(permutation[i]);
    moved[i] = shape[axis];
    size[i] = static_cast<std::size_t>(shape[axis]);
    step[i] = stride[axis];
  }
  std::vector<float> out(values.size());
  std::size_t from = 0;
  for (float& value : out) {
    value = values[from];
    for (std::size_t i = rank; i-- > 0;) {  // count up like an odometer
      from += step[i];
      if (++at[i] < size[i]) break;
      from -= step[i] * size[i];
      at[i] = 0;
    }
  }
  return make_tensor(target.spec->name, std::move(moved), out);
}

namespace {

Result<std::vector<float>> values_in_order(const TensorView& tensor,
                                           const std::vector<int>& permutation) {
  if (permutation.empty()) return to_float(tensor);
  EP_TRY(const auto moved, transposed(tensor, permutation));
  return to_float(moved);
}

}  // namespace

std::vector<float> scattered_values(const TensorView& tensor, const std::vector<int>& permutation) {
  constexpr std::size_t kMost = 4096, kApart = 2654435761u;
  const auto all = values_in_order(tensor, permutation);
  if (!all) return {};
  const std::size_t some = std::min(all->size(), kMost);
  std::vector<float> kept;
  kept.reserve(some);
  for (std::size_t i = 0; i < some; ++i)
    kept.push_back((*all)[some == all->size() ? i : (i * kApart) % all->size()]);
  return kept;
}

int channel_axis(const Shape& reference, const std::vector<int>& permutation) {
  const int last = static_cast<int>(reference.size()) - 1;
  if (permutation.empty() || last < 2) return last;
  // The axis that moved furthest is the channel axis: if the target's last one moved, the reference
  // has it first.
  for (int axis = 0; axis < last; ++axis)
    if (permutation[static_cast<std::size_t>(axis)] == last && axis <= 1) return axis;
  return last;
}

}  // namespace edgeprobe::compare
