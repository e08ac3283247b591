// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/onnx/infer.h"

namespace edgeprobe::model::onnx {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 31;

bool is_sane(std::int64_t value) { return value > -kMost && value < kMost; }

// The attributes that convolutions and pools share, one value for each spatial axis.
struct Window {
  std::vector<std::int64_t> strides, dilations, begins, ends;
  std::string_view auto_pad;
  bool sane = true;

  Window(const Node& node, std::size_t axes) {
    const auto fill = [&](const char* name, std::int64_t absent, std::size_t first,
                          std::size_t count) {
      std::vector<std::int64_t> made(axes, absent);
      const auto* given = node.integers(name);
      if (!given || given->empty()) return made;
      if (given->size() != count || !std::all_of(given->begin(), given->end(), is_sane)) {
        sane = false;
        return made;
      }
      std::copy_n(given->begin() + static_cast<std::ptrdiff_t>(first), axes, made.begin());
      return made;
    };
    strides = fill("strides", 1, 0, axes);
    dilations = fill("dilations", 1, 0, axes);
    begins = fill("pads", 0, 0, 2 * axes);
    ends = fill("pads", 0, axes, 2 * axes);
    auto_pad = node.text("auto_pad");
    for (std::size_t i = 0; i < axes; ++i) sane = sane && strides[i] > 0 && dilations[i] > 0;
  }

  bool is_same() const { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }

  // Number of window positions along one axis; -1 if the axis is open or the result is invalid.
  std::int64_t places(std::size_t axis, std::int64_t size, std::int64_t kernel, bool ceil) const {
    if (size < 0 || !is_sane(size) || kernel <= 0 || !is_sane(kernel)) return -1;
    const std::int64_t stride = strides[axis];
    if (is_same()) return (size + stride - 1) / stride;
    const bool valid = auto_pad == "VALID";
    const std::int64_t begin = valid ? 0 : begins[axis], end = valid ? 0 : ends[axis];
    const std::int64_t room = size + begin + end - (dilations[axis] * (kernel - 1) + 1);
    if (room < 0) return -1;
    std::int64_t count = (ceil ? (room + stride - 1) / stride : room / stride) + 1;
    // A window that would start in the padding after the data does not count.
    if (ceil && (count - 1) * stride >= size + begin) --count;
    return count;
  }
};

bool fits(const Shape* data, std::size_t least) { return data && data->size() >= least; }

}  // namespace

Inferred convolved(const Facts& facts, std::size_t data, std::size_t filter) {
  const Shape *x = facts.shape(data), *w = facts.shape(filter);
  if (!fits(x, 3) || !w || w->size() != x->size()) return std::nullopt;
  const std::size_t axes = x->size() - 2;
  const Window window(facts.node, axes);
  if (!window.sane) return std::nullopt;
  Shape out{(*x)[0], (*w)[0]};
  for (std::size_t i = 0; i < axes; ++i)
    out.push_back(window.places(i, (*x)[2 + i], (*w)[2 + i], false));
  return out;
}

Inferred transposed_convolved(const Facts& facts) {
  const Shape *x = facts.shape(0), *w = facts.shape(1);
  if (!fits(x, 3) || !w || w->size() != x->size()) return std::nullopt;
  const std::size_t axes = x->size() - 2;
  const Window window(facts.node, axes);
  const auto* given = facts.node.integers("output_shape");
  const auto* more = facts.node.integers("output_padding");
  const std::int64_t group = facts.node.integer("group", 1);
  if (!window.sane || !is_sane(group) || !is_sane((*w)[1]) || (more && more->size() != axes))
    return std::nullopt;
  Shape out{(*x)[0], (*w)[1] < 0 || group < 1 ? -1 : (*w)[1] * group};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t size = (*x)[2 + i], kernel = (*w)[2 + i], extra = more ? (*more)[i] : 0;
    if (given && given->size() >= axes) {
      out.push_back(std::max<std::int64_t>(-1, (*given)[given->size() - axes + i]));
    } else if (size < 1 || !is_sane(size) || kernel < 1 || !is_sane(kernel) || !is_sane(extra)) {
      out.push_back(-1);
    } else if (window.is_same()) {
      out.push_back(size * window.strides[i]);
    } else {
      out.push_back(std::max<std::int64_t>(-1, window.strides[i] * (size - 1) + extra +
                                                   window.dilations[i] * (kernel - 1) + 1 -
                                                   window.begins[i] - window.ends[i]));
    }
  }
  return out;
}

Inferred pooled(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const auto* kernel = facts.node.integers("kernel_shape");
  if (!fits(x, 3) || !kernel || kernel->size() != x->size() - 2) return std::nullopt;
  const Window window(facts.node, kernel->size());
  if (!window.sane) return std::nullopt;
  Shape out{(*x)[0], (*x)[1]};
  const bool ceil = facts.node.integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < kernel->size(); ++i)
    out.push_back(window.places(i, (*x)[2 + i], (*kernel)[i], ceil));
  return out;
}

Inferred globally_pooled(const Facts& facts) {
  const Shape* x = facts.shape(0);
  if (!fits(x, 2)) return std::nullopt;
  Shape out(x->size(), 1);
  out[0] = (*x)[0];
  out[1] = (*x)[1];
  return out;
}

Inferred gemm(const Facts& facts, std::size_t a, std::size_t b) {
  const Shape *x = facts.shape(a), *y = facts.shape(b);
  if (!x || !y || x->size() != 2 || y->size() != 2) return std::nullopt;
  return Shape{(*x)[facts.node.integer("transA", 0) ? 1 : 0],
               (*y)[facts.node.integer("transB", 0) ? 0 : 1]};
}

Inferred multiplied(const Facts& facts, std::size_t a, std::size_t b) {
  const Shape *x = facts.shape(a), *y = facts.shape(b);
  if (!x || !y || x->empty() || y->empty()) return std::nullopt;
  // As in NumPy's matmul: a vector is a row on the left and a column on the right, and that axis is
  // removed.
  Shape left(x->begin(), x->end() - std::min<std::ptrdiff_t>(2, std::ssize(*x)));
  Shape right(y->begin(), y->end() - std::min<std::ptrdiff_t>(2, std::ssize(*y)));
  Inferred out = broadcast({&left, &right});
  if (!out) return out;
  if (x->size() > 1) out->push_back((*x)[x->size() - 2]);
  if (y->size() > 1) out->push_back(y->back());
  return out;
}

Inferred broadcast(const std::vector<const Shape*>& shapes) {
  Shape out;
  for (const Shape* shape : shapes) {
    if (!shape) return std::nullopt;
    if (shape->size() > out.size()) out.insert(out.begin(), shape->size() - out.size(), 1);
    const std::size_t skip = out.size() - shape->size();
    for (std::size_t i = 0; i < shape->size(); ++i) {
      std::int64_t& have = out[skip + i];
      const std::int64_t more = (*shape)[i];
      if (have == more || more == 1) continue;
      if (have == 1 || have == -1) have = more;
      else if (more != -1) return std::nullopt;
    }
  }
  return out;
}

}  // namespace edgeprobe::model::onnx
