// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/metrics/accumulate.h"
#include "compare/metrics/codes.h"
#include "compare/metrics/decode.h"
#include "compare/metrics/kernel.h"
#include "compare/metrics/kernel_sets.h"

namespace edgeprobe::compare {
namespace {

struct Pivots {
  float r = 0, t = 0;
};

// Mean of a few values spread over the block. A pivot far from the mean costs precision, not
// correctness.
float sampled_mean(const Operand& values, std::size_t n) {
  float sum = 0;
  int taken = 0;
  const std::size_t step = std::max<std::size_t>(1, n / 8);
  for (std::size_t i = step / 2; i < n; i += step) {
    const float value = values.at(i);
    if (!std::isfinite(value)) continue;
    sum += value / 8;
    ++taken;
  }
  const float mean = taken > 0 ? sum * 8 / static_cast<float>(taken) : 0;
  return std::isfinite(mean) ? mean : 0;
}

// True if squares around the pivot are much larger than around the mean, so that cancellation
// matters.
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

// The kind of loop required by a block's values.
enum class Way { kPlain, kMasked, kExact };

// Adds one block of at most kBlock pairs; `index` is that of its first pair.
Way add_block(const Kernels& set, const Operand& r, const Operand& t, std::size_t n,
              std::uint64_t index, Pivots& pivot, Moments& total) {
  const auto i = static_cast<std::size_t>(r.element), j = static_cast<std::size_t>(t.element);
  Sums sums;
  Way way = Way::kPlain;
  Kernels::Block block = set.block[i][j];
  block(r, t, n, pivot.r, pivot.t, sums);
  NonFinite non_finite;
  if (!in_float_range(sums)) {
    way = Way::kMasked;
    block = set.masked[i][j];
    block(r, t, n, pivot.r, pivot.t, sums);
    if (sums.n != n)
      for (std::size_t k = 0; k < n; ++k) non_finite.add(r.at(k), t.at(k));
    if (!in_float_range(sums)) {
      way = Way::kExact;
      block = exact_block;
      block(r, t, n, pivot.r, pivot.t, sums);
    }
  }
  const double count = static_cast<double>(sums.n);
  if (sums.n > 0 &&
      (pivot_is_far(count, sums.r, sums.rr) || pivot_is_far(count, sums.t, sums.tt))) {
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
  // Finds the position only if a block exceeds the maximum so far, which is rare.
  if (m.max_abs_d > total.max_abs_d) m.max_index = index + set.find[i][j](r, t, n, sums.max_abs_d);
  total.merge(m);
  if (sums.n > 0) pivot = {static_cast<float>(m.mean_r), static_cast<float>(m.mean_t)};
  return sums.max_abs_d > kLargestSquared ? Way::kExact : way;
}

// Both sides of some pairs in the form that the loops read; `first` is the index of the first pair.
struct Tile {
  Operand r, t;
  std::size_t first, n;
};

// Adds the tile's pairs block by block; returns the kind of loop that the worst block required.
Way add_blocks(const Kernels& set, const Tile& tile, std::optional<Pivots>& pivot, Moments& total) {
  Way worst = Way::kPlain;
  for (std::size_t done = 0; done < tile.n; done += kBlock) {
    const std::size_t n = std::min(kBlock, tile.n - done);
    const Operand r = tile.r.from(done), t = tile.t.from(done);
    if (!pivot) pivot = Pivots{sampled_mean(r, n), sampled_mean(t, n)};
    worst = std::max(worst, add_block(set, r, t, n, tile.first + done, *pivot, total));
  }
  return worst;
}

// Sums of squared differences per channel: channel = element / inner % channels.
struct ChannelSquares {
  std::size_t inner, channels;
  /// Width of a row of columns; 0: long runs of one channel, without columns.
  std::size_t width;
  std::vector<double> sums;  ///< Per column or channel.
};

// pairs; read twice, so both sides should fit into a small second-level cache
constexpr std::size_t kTile = 8192;
constexpr std::size_t kRunWidth = 64;

ChannelSquares channel_squares(std::size_t elements, std::size_t inner, std::size_t channels) {
  if (inner >= kRunWidth) return {inner, channels, 0, std::vector<double>(channels)};
  // Rows of several pixels fill complete vectors.
  const std::size_t pixel = inner * channels;
  std::size_t pixels = kRunWidth / std::gcd(pixel, kRunWidth);
  if (pixel * pixels > kTile / 2) pixels = (pixel + kRunWidth - 1) / pixel;
  pixels = std::min(pixels, elements / pixel);
  return {inner, channels, pixel * pixels, std::vector<double>(pixel * pixels)};
}

std::size_t tile_size(const ChannelSquares& squares) {
  return squares.width == 0 ? kTile
                            : std::max<std::size_t>(1, kTile / squares.width) * squares.width;
}

// `add` receives the index of a pair in the tile, the number of rows, their width, and the columns
// for the squares; `sums`: those of squares with a width.
template <class Number, class Add>
void add_squares(std::size_t first, std::size_t n, ChannelSquares& squares,
                 std::vector<Number>& sums, const Add& add) {
  if (squares.width > 0) {
    const std::size_t rows = n / squares.width, rest = n % squares.width;
    if (rows > 0) add(0, rows, squares.width, sums.data());
    if (rest > 0) add(n - rest, 1, rest, sums.data());
    return;
  }
  for (std::size_t at = 0, run; at < n; at += run) {
    const std::size_t element = first + at;
    run = std::min(n - at, squares.inner - element % squares.inner);
    std::array<Number, kRunWidth> columns{};
    const std::size_t rows = run / kRunWidth, rest = run % kRunWidth;
    if (rows > 0) add(at, rows, kRunWidth, columns.data());
    if (rest > 0) add(at + run - rest, 1, rest, columns.data());
    squares.sums[element / squares.inner % squares.channels] +=
        std::accumulate(columns.begin(), columns.end(), 0.0);
  }
}

// Reads the tensors in tiles; decodes sides that the loops cannot read directly to float.
template <class Work>
void for_tiles(const Decoder& reference, const Decoder& target, std::size_t size,
               const Work& work) {
  std::vector<float> values_r, values_t;
  const auto operand = [](const Decoder& side, std::size_t first, std::size_t n,
                          std::vector<float>& values) {
    if (side.direct()) return side.operand(first);
    values.resize(n);
    side.read(first, n, values.data());
    return Operand{reinterpret_cast<const std::byte*>(values.data()), Element::kFloat32, 1, 0};
  };
  for (std::size_t first = 0; first < reference.count(); first += size) {
    const std::size_t n = std::min(size, reference.count() - first);
    work(Tile{operand(reference, first, n, values_r), operand(target, first, n, values_t), first,
              n});
  }
}

// Sums of a pair of tensors of codes with one quantisation.
class CodePairs {
 public:
  CodePairs(const Kernels& set, const Operand& codes, ChannelSquares& squares)
      : set_(set),
        block_(codes.element == Element::kInt8 ? set.signed_codes : set.unsigned_codes),
        squares_(squares),
        columns_(squares.width),
        distances_(tile_size(squares)) {}

  void add(const Tile& tile) {
    int most = 0;
    for (std::size_t done = 0; done < tile.n; done += kCodeBlock) {
      const std::size_t n = std::min(kCodeBlock, tile.n - done);
      const Operand r = tile.r.from(done), t = tile.t.from(done);
      std::byte* const distances = distances_.data() + done;
      CodeSums block;
      block_(r.data, t.data, n, static_cast<int>(r.zero), distances, block);
      most = std::max(most, block.max_abs_d);
      if (block.max_abs_d > sums_.max_abs_d) {
        const void* const found = std::memchr(distances, block.max_abs_d, n);
        max_index_ = tile.first + done +
                     static_cast<std::size_t>(static_cast<const std::byte*>(found) - distances);
      }
      compare::add(sums_, block);
    }
    if (squares_.width > 0) {
      const std::size_t rows = tile.n / squares_.width + 1;
      if (rows_ + rows > kCodeRows) fold();
      rows_ += rows;
    }
    add_squares(tile.first, tile.n, squares_, columns_,
                [&](std::size_t at, std::size_t rows, std::size_t width, std::uint32_t* columns) {
                  set_.code_squares(distances_.data() + at, rows, width, most, columns);
                });
  }

  // Leaves the squares in whole numbers.
  CodeSums finish() {
    fold();
    // exact, because they stay below 2^53
    const double all = std::accumulate(squares_.sums.begin(), squares_.sums.end(), 0.0);
    sums_.sq_d = static_cast<std::int64_t>(all);
    return sums_;
  }
  std::uint64_t max_index() const { return max_index_; }

 private:
  void fold() {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      squares_.sums[c] += std::exchange(columns_[c], 0);
    rows_ = 0;
  }

  const Kernels& set_;
  Kernels::CodeBlock block_;
  ChannelSquares& squares_;
  std::vector<std::uint32_t> columns_;  // sums of the rows since fold()
  std::size_t rows_ = 0;
  std::vector<std::byte> distances_;  // of a tile
  CodeSums sums_;
  std::uint64_t max_index_ = 0;
};

// Where the kinds of one side's values are counted.
enum class Counted { kNowhere, kInTiles, kFromCodes, kSeparately };

Counted counted_where(const PairKinds* kinds, const TensorSpec& spec, bool in_codes) {
  if (!kinds) return Counted::kNowhere;
  if (spec.dtype == DType::kFloat32 && spec.quantization.empty()) return Counted::kInTiles;
  return in_codes && count_only_ends(spec) ? Counted::kFromCodes : Counted::kSeparately;
}

struct Pair {
  const TensorView &reference_view, &target_view;
  Decoder reference, target;

  bool in_codes() const {
    return reference.direct() && target.direct() &&
           same_codes(reference.operand(0), target.operand(0));
  }
};

// Adds the moments and kinds of a pair in codes; returns the factor for the squares.
double add_codes(const Kernels& set, const Pair& pair, Moments& total, ChannelSquares& squares,
                 PairKinds* kinds) {
  const Operand codes = pair.reference.operand(0);
  CodePairs pairs(set, codes, squares);
  for_tiles(pair.reference, pair.target, tile_size(squares),
            [&](const Tile& tile) { pairs.add(tile); });
  const CodeSums sums = pairs.finish();
  Moments m = moments_of(sums, codes);
  m.max_index = pairs.max_index();
  total.merge(m);
  const auto count = [&](const TensorView& view, KindCounts& out, std::uint64_t ends) {
    if (counted_where(kinds, *view.spec, true) != Counted::kFromCodes) return;
    out.values += sums.n;
    out.saturated += ends;
  };
  if (kinds) {
    count(pair.reference_view, kinds->reference, sums.ends_r);
    count(pair.target_view, kinds->target, sums.ends_t);
  }
  return double{codes.scale} * double{codes.scale};
}

// The same for real numbers. `squares` may be null.
void add_reals(const Kernels& set, const Pair& pair, Moments& total, ChannelSquares* squares,
               PairKinds* kinds) {
  const auto in_tiles = [&](const TensorView& view) {
    return counted_where(kinds, *view.spec, false) == Counted::kInTiles;
  };
  const bool count_r = in_tiles(pair.reference_view), count_t = in_tiles(pair.target_view);
  const std::size_t size = squares ? tile_size(*squares) : kCodeBlock;
  std::optional<Pivots> pivot;
  for_tiles(pair.reference, pair.target, size, [&](const Tile& tile) {
    const Way way = add_blocks(set, tile, pivot, total);
    if (count_r) kinds->reference.add_floats(set, tile.r.data, tile.n);
    if (count_t) kinds->target.add_floats(set, tile.t.data, tile.n);
    if (!squares) return;
    const auto i = static_cast<std::size_t>(tile.r.element),
               j = static_cast<std::size_t>(tile.t.element);
    const Kernels::Squares loop = way == Way::kExact    ? exact_squares
                                  : way == Way::kMasked ? set.masked_squares[i][j]
                                                        : set.squares[i][j];
    add_squares(tile.first, tile.n, *squares, squares->sums,
                [&](std::size_t at, std::size_t rows, std::size_t width, double* columns) {
                  loop(tile.r.from(at), tile.t.from(at), rows, width, columns);
                });
  });
}

Status count_separately(const Pair& pair, PairKinds* kinds) {
  const auto count = [&](const TensorView& view, KindCounts* out) -> Status {
    if (counted_where(kinds, *view.spec, pair.in_codes()) != Counted::kSeparately) return {};
    return out->add(view);
  };
  if (!kinds) return {};
  EP_CHECK(count(pair.reference_view, &kinds->reference));
  return count(pair.target_view, &kinds->target);
}

Result<Pair> open_pair(const TensorView& reference, const TensorView& target) {
  auto r = Decoder::open(reference);
  if (!r) return std::move(r.error()).during("reference");
  auto t = Decoder::open(target);
  if (!t) return std::move(t.error()).during("target");
  if (r->count() != t->count())
    return Error{ErrorKind::kUsage, "tensors of " + to_text(reference.spec->shape) + " and " +
                                        to_text(target.spec->shape) +
                                        " have different numbers of elements"};
  return Pair{reference, target, *r, *t};
}

}  // namespace

Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target,
                       Moments& total, PairKinds* kinds) {
  EP_TRY(const auto pair, open_pair(reference, target));
  if (pair.in_codes()) {
    ChannelSquares all =
        channel_squares(pair.reference.count(), std::max(pair.reference.count(), kRunWidth), 1);
    add_codes(set, pair, total, all, kinds);
  } else {
    add_reals(set, pair, total, nullptr, kinds);
  }
  return count_separately(pair, kinds);
}

Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target,
                       int axis, Moments& total, std::vector<double>& channel_sq_d,
                       PairKinds* kinds) {
  EP_TRY(const auto pair, open_pair(reference, target));
  const Shape& shape = reference.spec->shape;
  if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size())
    return Error{ErrorKind::kUsage,
                 "axis " + std::to_string(axis) + " does not exist in shape " + to_text(shape)};
  const auto along = static_cast<std::size_t>(axis);
  const auto count = static_cast<std::size_t>(shape[along]);
  if (channel_sq_d.empty()) channel_sq_d.resize(count);
  if (channel_sq_d.size() != count)
    return Error{ErrorKind::kUsage, "shape " + to_text(shape) + " has " + std::to_string(count) +
                                        " channels on axis " + std::to_string(axis) +
                                        ", earlier frames had " +
                                        std::to_string(channel_sq_d.size())};
  const std::size_t elements = pair.reference.count();
  if (elements == 0) return {};
  std::size_t inner = 1;
  for (std::size_t d = along + 1; d < shape.size(); ++d)
    inner *= static_cast<std::size_t>(shape[d]);

  ChannelSquares squares = channel_squares(elements, inner, count);
  double factor = 1;
  if (pair.in_codes()) factor = add_codes(set, pair, total, squares, kinds);
  else add_reals(set, pair, total, &squares, kinds);
  std::vector<double> folded(count);  // whole numbers so far if both sides are codes
  for (std::size_t k = 0; k < squares.sums.size(); ++k)
    folded[squares.width == 0 ? k : k / inner % count] += squares.sums[k];
  for (std::size_t c = 0; c < count; ++c) channel_sq_d[c] += factor * folded[c];
  return count_separately(pair, kinds);
}

Status accumulate(const TensorView& reference, const TensorView& target, Moments& total,
                  PairKinds* kinds) {
  return accumulate_with(kernels(), reference, target, total, kinds);
}

Status accumulate(const TensorView& reference, const TensorView& target, int axis, Moments& total,
                  std::vector<double>& channel_sq_d, PairKinds* kinds) {
  return accumulate_with(kernels(), reference, target, axis, total, channel_sq_d, kinds);
}

}  // namespace edgeprobe::compare
