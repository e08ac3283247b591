#include "compare/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "compare/accumulate.h"
#include "compare/decode.h"
#include "compare/kernel.h"

namespace edgeprobe::compare {
namespace {

struct Pivots {
  float r = 0, t = 0;
};

// The mean of a few values spread over the block. A pivot far from the mean costs digits, not correctness.
float sampled_mean(const Operand& values, std::size_t n, std::size_t stride = 1) {
  float sum = 0;
  int taken = 0;
  const std::size_t step = std::max<std::size_t>(1, n / 8);
  for (std::size_t i = step / 2; i < n; i += step) {
    const float value = values.at(i * stride);
    if (!std::isfinite(value)) continue;
    sum += value / 8;
    ++taken;
  }
  const float mean = taken > 0 ? sum * 8 / static_cast<float>(taken) : 0;
  return std::isfinite(mean) ? mean : 0;
}

// Too far when squares around the pivot are much larger than around the mean: cancellation would show.
bool pivot_is_far(double n, double sum, double sum_sq) {
  const double around_mean = sum_sq - sum * sum / n;
  return sum * sum / n > 16 * std::max(0.0, around_mean) && sum != 0;
}

Moments moments_of(const Sums& s, Pivots pivot) {
  Moments m;
  m.n = s.n;
  m.zeros_r = s.zeros_r;
  m.zeros_t = s.zeros_t;
  m.equal = s.equal;
  if (s.n == 0) return m;
  const double n = static_cast<double>(s.n), shift_r = s.r / n, shift_t = s.t / n;
  m.mean_r = pivot.r + shift_r;
  m.mean_t = pivot.t + shift_t;
  m.m2_r = std::max(0.0, s.rr - s.r * shift_r);
  m.m2_t = std::max(0.0, s.tt - s.t * shift_t);
  m.c_rt = s.rt - s.r * shift_t;
  m.sum_abs_d = s.abs_d;
  m.sum_sq_d = s.sq_d;
  m.max_abs_d = double{s.max_abs_d};
  m.min_r = double{s.min_r};
  m.max_r = double{s.max_r};
  m.min_t = double{s.min_t};
  m.max_t = double{s.max_t};
  return m;
}

// One block of at most kBlock pairs; `index` is that of its first pair.
void add_block(const Kernels& set, const Operand& r, const Operand& t, std::size_t n, std::uint64_t index,
               Pivots& pivot, Moments& total) {
  const auto i = static_cast<std::size_t>(r.element), j = static_cast<std::size_t>(t.element);
  Sums sums;
  Kernels::Block block = set.block[i][j];
  block(r, t, n, pivot.r, pivot.t, sums);
  NonFinite non_finite;
  if (!in_float_range(sums)) {
    block = set.masked[i][j];
    block(r, t, n, pivot.r, pivot.t, sums);
    if (sums.n != n)
      for (std::size_t k = 0; k < n; ++k) non_finite.add(r.at(k), t.at(k));
    if (!in_float_range(sums)) {
      block = exact_block;
      block(r, t, n, pivot.r, pivot.t, sums);
    }
  }
  const double count = static_cast<double>(sums.n);
  if (sums.n > 0 && (pivot_is_far(count, sums.r, sums.rr) || pivot_is_far(count, sums.t, sums.tt))) {
    pivot.r += static_cast<float>(sums.r / count);
    pivot.t += static_cast<float>(sums.t / count);
    block(r, t, n, pivot.r, pivot.t, sums);
  }
  Moments m = moments_of(sums, pivot);
  m.nan_r = non_finite.nan_r;
  m.nan_t = non_finite.nan_t;
  m.inf_r = non_finite.inf_r;
  m.inf_t = non_finite.inf_t;
  m.non_finite_mismatch = non_finite.mismatch;
  m.overflow = non_finite.overflow;
  // The place is looked up only when a block beats the best so far, which is rare.
  if (m.max_abs_d > total.max_abs_d) m.max_index = index + set.find[i][j](r, t, n, sums.max_abs_d);
  total.merge(m);
  if (sums.n > 0) pivot = {static_cast<float>(m.mean_r), static_cast<float>(m.mean_t)};
}

// Pairs [first, first + count), block by block.
void add_span(const Kernels& set, const Decoder& reference, const Decoder& target, std::size_t first,
              std::size_t count, Moments& total) {
  std::array<float, kBlock> values_r, values_t;
  const auto operand = [](const Decoder& side, std::size_t at, std::size_t n, std::array<float, kBlock>& values) {
    if (side.direct()) return side.operand(at);
    side.read(at, n, values.data());
    return Operand{reinterpret_cast<const std::byte*>(values.data()), Element::kFloat32, 1, 0};
  };
  Pivots pivot;
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t n = std::min(kBlock, count - done);
    const Operand r = operand(reference, first + done, n, values_r);
    const Operand t = operand(target, first + done, n, values_t);
    if (done == 0) pivot = {sampled_mean(r, n), sampled_mean(t, n)};
    add_block(set, r, t, n, first + done, pivot, total);
  }
}

// Reads every cache line of a tile once in order: strided column walks from memory reach a third of the
// bandwidth, a linear pass all of it.
void touch(const Operand& values, std::size_t count) {
  const std::size_t bytes = count * size_of(values.element);
  unsigned seen = 0;
  for (std::size_t at = 0; at < bytes; at += 64) seen += static_cast<unsigned>(values.data[at]);
  asm volatile("" : : "r"(seen));
}

// Rows of `columns.width` pairs each from element `first` on.
void add_rows(const Kernels& set, const Decoder& reference, const Decoder& target, std::size_t first,
              std::size_t rows, ColumnSums& columns) {
  constexpr std::size_t kTileBytes = 192 << 10;
  const std::size_t width = columns.width;
  const std::size_t tile = std::clamp<std::size_t>(kTileBytes / (width * 8), 16, kTileRows);
  std::vector<float> values_r(reference.direct() ? 0 : std::min(rows, tile) * width);
  std::vector<float> values_t(target.direct() ? 0 : std::min(rows, tile) * width);
  const auto operand = [&](const Decoder& side, std::size_t at, std::size_t n, std::vector<float>& values) {
    if (side.direct()) {
      const Operand stored = side.operand(at);
      touch(stored, n);
      return stored;
    }
    side.read(at, n, values.data());
    return Operand{reinterpret_cast<const std::byte*>(values.data()), Element::kFloat32, 1, 0};
  };
  for (std::size_t row = 0; row < rows; row += tile) {
    const std::size_t now = std::min(tile, rows - row), at = first + row * width;
    const Operand r = operand(reference, at, now * width, values_r);
    const Operand t = operand(target, at, now * width, values_t);
    set.rows[static_cast<std::size_t>(r.element)][static_cast<std::size_t>(t.element)](r, t, now, row, columns);
  }
}

// Pivots from a few rows spread over the tensor; the places are uneven because picture rows repeat.
void choose_pivots(const Decoder& side, std::size_t first, std::size_t rows, std::size_t width,
                   std::vector<float>& pivots) {
  constexpr std::size_t kSamples = 4;
  std::vector<float> row_values(width), taken(width);
  std::fill(pivots.begin(), pivots.end(), 0.f);
  for (std::size_t k = 0; k < std::min(rows, kSamples); ++k) {
    const std::size_t row = std::min(rows - 1, (rows * (2 * k + 1) / (2 * kSamples)) + k);
    side.read(first + row * width, width, row_values.data());
    for (std::size_t c = 0; c < width; ++c) {
      const float value = row_values[c];
      const bool finite = value - value == 0;
      pivots[c] += finite ? value * (1.f / kSamples) : 0.f;
      taken[c] += finite ? 1.f / kSamples : 0.f;
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    const float mean = pivots[c] / taken[c];
    pivots[c] = mean - mean == 0 ? mean : 0.f;
  }
}

// Moves the pivots of columns that lie far from their mean; true when there were any.
bool improve_pivots(ColumnSums& s) {
  bool moved = false;
  for (std::size_t c = 0; c < s.width; ++c) {
    const auto sum = [&](ColumnSums::Sum which) { return s.sums[which * s.padded + c]; };
    const double n = s.counts[ColumnSums::kN * s.padded + c];
    if (n == 0) continue;
    if (!pivot_is_far(n, sum(ColumnSums::kR), sum(ColumnSums::kRR)) &&
        !pivot_is_far(n, sum(ColumnSums::kT), sum(ColumnSums::kTT)))
      continue;
    s.pivot_r[c] += static_cast<float>(sum(ColumnSums::kR) / n);
    s.pivot_t[c] += static_cast<float>(sum(ColumnSums::kT) / n);
    moved = true;
  }
  return moved;
}

Moments column_moments(const ColumnSums& s, std::size_t c, std::uint64_t first) {
  const auto sum = [&](ColumnSums::Sum which) { return s.sums[which * s.padded + c]; };
  const auto extreme = [&](ColumnSums::Extreme which) { return s.extremes[which * s.padded + c]; };
  const auto count = [&](ColumnSums::Count which) { return s.counts[which * s.padded + c]; };
  Sums one;
  one.r = sum(ColumnSums::kR);
  one.t = sum(ColumnSums::kT);
  one.rr = sum(ColumnSums::kRR);
  one.tt = sum(ColumnSums::kTT);
  one.rt = sum(ColumnSums::kRT);
  one.abs_d = sum(ColumnSums::kAbsD);
  one.sq_d = sum(ColumnSums::kSqD);
  one.max_abs_d = extreme(ColumnSums::kMaxAbsD);
  one.min_r = extreme(ColumnSums::kMinR);
  one.max_r = extreme(ColumnSums::kMaxR);
  one.min_t = extreme(ColumnSums::kMinT);
  one.max_t = extreme(ColumnSums::kMaxT);
  one.n = count(ColumnSums::kN);
  one.zeros_r = count(ColumnSums::kZerosR);
  one.zeros_t = count(ColumnSums::kZerosT);
  one.equal = count(ColumnSums::kEqual);
  Moments m = moments_of(one, {s.pivot_r[c], s.pivot_t[c]});
  if (m.max_abs_d > 0) m.max_index = first + s.max_row[c] * s.width + c;
  const NonFinite& bad = s.non_finite[c];
  m.nan_r = bad.nan_r;
  m.nan_t = bad.nan_t;
  m.inf_r = bad.inf_r;
  m.inf_t = bad.inf_t;
  m.non_finite_mismatch = bad.mismatch;
  m.overflow = bad.overflow;
  return m;
}

// Rows of `width` = pixels x channels x inner pairs; column c belongs to channel c / inner % channels.
void add_columns(const Kernels& set, const Decoder& reference, const Decoder& target, std::size_t first,
                 std::size_t rows, std::size_t width, std::size_t inner, std::vector<Moments>& channels) {
  if (rows == 0) return;
  ColumnSums sums(width);
  choose_pivots(reference, first, rows, width, sums.pivot_r);
  choose_pivots(target, first, rows, width, sums.pivot_t);
  add_rows(set, reference, target, first, rows, sums);
  if (improve_pivots(sums)) {
    sums.clear();
    add_rows(set, reference, target, first, rows, sums);
  }
  for (std::size_t c = 0; c < width; ++c) {
    merge_interleaved(channels[c / inner % channels.size()], column_moments(sums, c, first));
  }
}

struct Pair {
  Decoder reference, target;
};

Result<Pair> open_pair(const TensorView& reference, const TensorView& target) {
  auto r = Decoder::open(reference);
  if (!r) return std::move(r.error()).during("reference");
  auto t = Decoder::open(target);
  if (!t) return std::move(t.error()).during("target");
  if (r->count() != t->count())
    return Error{Fault::kUsage, "tensors of " + to_text(reference.spec->shape) + " and " +
                                    to_text(target.spec->shape) + " have different numbers of elements"};
  return Pair{*r, *t};
}

}  // namespace

Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target, Moments& total) {
  const auto pair = open_pair(reference, target);
  if (!pair) return pair.error();
  add_span(set, pair->reference, pair->target, 0, pair->reference.count(), total);
  return {};
}

Status accumulate_channels_with(const Kernels& set, const TensorView& reference, const TensorView& target, int axis,
                                std::vector<Moments>& channels) {
  const auto pair = open_pair(reference, target);
  if (!pair) return pair.error();
  const Shape& shape = reference.spec->shape;
  if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size())
    return Error{Fault::kUsage, "axis " + std::to_string(axis) + " does not exist in shape " + to_text(shape)};
  const auto along = static_cast<std::size_t>(axis);
  const auto count = static_cast<std::size_t>(shape[along]);
  if (channels.empty()) channels.resize(count);
  if (channels.size() != count)
    return Error{Fault::kUsage, "shape " + to_text(shape) + " has " + std::to_string(count) + " channels on axis " +
                                    std::to_string(axis) + ", earlier frames had " +
                                    std::to_string(channels.size())};
  const std::size_t total = pair->reference.count();
  if (total == 0) return {};
  std::size_t inner = 1;
  for (std::size_t d = along + 1; d < shape.size(); ++d) inner *= static_cast<std::size_t>(shape[d]);
  const std::size_t pixel = count * inner;

  if (inner >= 64) {  // a channel is a run of its own
    for (std::size_t first = 0; first < total; first += inner)
      add_span(set, pair->reference, pair->target, first, inner, channels[first / inner % count]);
    return {};
  }
  // Few channels: several pixels side by side fill the vectors.
  const std::size_t pixels = total / pixel, wanted = pixel >= 64 ? 1 : (63 + pixel) / pixel;
  const std::size_t together = std::min(wanted, pixels), rows = pixels / together;
  const std::size_t done = rows * together * pixel;
  add_columns(set, pair->reference, pair->target, 0, rows, together * pixel, inner, channels);
  if (done < total) add_columns(set, pair->reference, pair->target, done, 1, total - done, inner, channels);
  return {};
}

Status accumulate(const TensorView& reference, const TensorView& target, Moments& total) {
  return accumulate_with(kernels(), reference, target, total);
}

Status accumulate_channels(const TensorView& reference, const TensorView& target, int axis,
                           std::vector<Moments>& channels) {
  return accumulate_channels_with(kernels(), reference, target, axis, channels);
}

}  // namespace edgeprobe::compare
