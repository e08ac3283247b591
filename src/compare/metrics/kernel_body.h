// SPDX-License-Identifier: Apache-2.0
// The loops of kernel.h over a `Lanes` type. Each kernel_<set>.cc defines EDGEPROBE_TARGET (the
// function attribute of its instruction set) and its Lanes, includes kernel_codes.h, then this
// file, inside an unnamed namespace. Otherwise the linker could pick a function compiled for a
// newer processor for an older one. Hence no #pragma once and no includes here.

#define EDGEPROBE_INLINE EDGEPROBE_TARGET __attribute__((always_inline)) inline

enum Sum { kSumR, kSumT, kSumRR, kSumTT, kSumRT, kSumAbsD, kSumSqD, kSums };

template <class Lanes>
struct Accumulators {
  typename Lanes::F r, t, rr, tt, rt, abs_d, sq_d;
  typename Lanes::F max_abs_d, min_r, max_r, min_t, max_t;
  typename Lanes::I n, zeros_r, zeros_t, equal;

  EDGEPROBE_INLINE void clear() {
    r = t = rr = tt = rt = abs_d = sq_d = max_abs_d = Lanes::splat(0);
    min_r = min_t = Lanes::splat(__builtin_inff());
    max_r = max_t = Lanes::splat(-__builtin_inff());
    n = zeros_r = zeros_t = equal = Lanes::splat_int(0);
  }
};

// Adds a vector of pairs to the moments. `good`: the lanes that count.
template <class Lanes, bool kMasked>
EDGEPROBE_INLINE void add_values(Accumulators<Lanes>& sum, typename Lanes::F a, typename Lanes::F b,
                                 typename Lanes::F pivot_r, typename Lanes::F pivot_t,
                                 typename Lanes::K good) {
  typename Lanes::F x = Lanes::sub(a, pivot_r), y = Lanes::sub(b, pivot_t);
  if constexpr (kMasked) {
    x = Lanes::keep(good, x);
    y = Lanes::keep(good, y);
    sum.min_r = Lanes::min(sum.min_r, Lanes::select(good, a, sum.min_r));
    sum.max_r = Lanes::max(sum.max_r, Lanes::select(good, a, sum.max_r));
    sum.min_t = Lanes::min(sum.min_t, Lanes::select(good, b, sum.min_t));
    sum.max_t = Lanes::max(sum.max_t, Lanes::select(good, b, sum.max_t));
  } else {
    sum.min_r = Lanes::min(sum.min_r, a);
    sum.max_r = Lanes::max(sum.max_r, a);
    sum.min_t = Lanes::min(sum.min_t, b);
    sum.max_t = Lanes::max(sum.max_t, b);
  }
  sum.r = Lanes::add(sum.r, x);
  sum.t = Lanes::add(sum.t, y);
  sum.rr = Lanes::fma(x, x, sum.rr);
  sum.tt = Lanes::fma(y, y, sum.tt);
  sum.rt = Lanes::fma(x, y, sum.rt);
}

// Adds the differences and the counts.
template <class Lanes, bool kMasked>
EDGEPROBE_INLINE void add_differences(Accumulators<Lanes>& sum, typename Lanes::F a,
                                      typename Lanes::F b, typename Lanes::F d,
                                      typename Lanes::F abs_d, typename Lanes::K good) {
  const typename Lanes::F zero = Lanes::splat(0);
  if constexpr (kMasked) {
    d = Lanes::keep(good, d);
    abs_d = Lanes::keep(good, abs_d);
    sum.n = Lanes::tally(sum.n, good);
    sum.zeros_r = Lanes::tally(sum.zeros_r, Lanes::both(good, Lanes::equal(a, zero)));
    sum.zeros_t = Lanes::tally(sum.zeros_t, Lanes::both(good, Lanes::equal(b, zero)));
    sum.equal = Lanes::tally(sum.equal, Lanes::both(good, Lanes::equal(a, b)));
  } else {
    sum.zeros_r = Lanes::tally(sum.zeros_r, Lanes::equal(a, zero));
    sum.zeros_t = Lanes::tally(sum.zeros_t, Lanes::equal(b, zero));
    sum.equal = Lanes::tally(sum.equal, Lanes::equal(a, b));
  }
  sum.abs_d = Lanes::add(sum.abs_d, abs_d);
  sum.sq_d = Lanes::fma(d, d, sum.sq_d);
  sum.max_abs_d = Lanes::max(sum.max_abs_d, abs_d);
}

// Adds one vector of pairs. Unmasked: all lanes count. Masked: those in `valid` with a finite
// difference.
template <class Lanes, bool kMasked>
EDGEPROBE_INLINE void add_pairs(Accumulators<Lanes>& sum, typename Lanes::F a, typename Lanes::F b,
                                typename Lanes::F pivot_r, typename Lanes::F pivot_t,
                                typename Lanes::K valid) {
  const typename Lanes::F d = Lanes::sub(b, a), abs_d = Lanes::abs(d);
  // |d| < inf is false for NaN, infinity and an overflowed difference.
  if constexpr (kMasked)
    valid = Lanes::both(valid, Lanes::below(abs_d, Lanes::splat(__builtin_inff())));
  add_values<Lanes, kMasked>(sum, a, b, pivot_r, pivot_t, valid);
  add_differences<Lanes, kMasked>(sum, a, b, d, abs_d, valid);
}

// Adds the lane sums in double: seven rows of kWidth.
template <class Lanes>
EDGEPROBE_INLINE void fold(Accumulators<Lanes>& sum, double* wide) {
  constexpr std::size_t kWidth = Lanes::kWidth;
  Lanes::add_to(wide + kSumR * kWidth, sum.r);
  Lanes::add_to(wide + kSumT * kWidth, sum.t);
  Lanes::add_to(wide + kSumRR * kWidth, sum.rr);
  Lanes::add_to(wide + kSumTT * kWidth, sum.tt);
  Lanes::add_to(wide + kSumRT * kWidth, sum.rt);
  Lanes::add_to(wide + kSumAbsD * kWidth, sum.abs_d);
  Lanes::add_to(wide + kSumSqD * kWidth, sum.sq_d);
  sum.r = sum.t = sum.rr = sum.tt = sum.rt = sum.abs_d = sum.sq_d = Lanes::splat(0);
}

template <class Lanes, Element kR, Element kT, bool kMasked>
EDGEPROBE_TARGET void add_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r,
                                float pivot_t, Sums& out) {
  using F = typename Lanes::F;
  constexpr std::size_t kWidth = Lanes::kWidth;
  // A lane adds this many terms before folding into double. Equal terms (the zeros after a ReLU)
  // always round the same way, so the error grows with the run: up to 7e-7 with 128.
  constexpr std::size_t kRun = kWidth * 32;
  const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
  const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
  const F p_r = Lanes::splat(pivot_r), p_t = Lanes::splat(pivot_t);
  out = Sums{};
  double wide[kSums * kWidth] = {};
  Accumulators<Lanes> sum;
  sum.clear();
  const std::size_t whole = n / kWidth * kWidth;
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = whole - i < kRun ? whole : i + kRun;
    if constexpr (Lanes::kRegisters >= 32 || kMasked) {
      for (; i < end; i += kWidth)
        add_pairs<Lanes, kMasked>(sum, Lanes::template load<kR>(r.data, i, scale_r, zero_r),
                                  Lanes::template load<kT>(t.data, i, scale_t, zero_t), p_r, p_t,
                                  Lanes::all());
      // The sums do not all fit into 16 registers; the second pass reads the values from the
      // first-level cache.
    } else {
      for (std::size_t k = i; k < end; k += kWidth)
        add_values<Lanes, false>(sum, Lanes::template load<kR>(r.data, k, scale_r, zero_r),
                                 Lanes::template load<kT>(t.data, k, scale_t, zero_t), p_r, p_t,
                                 Lanes::all());
      for (; i < end; i += kWidth) {
        const F a = Lanes::template load<kR>(r.data, i, scale_r, zero_r),
                b = Lanes::template load<kT>(t.data, i, scale_t, zero_t);
        const F d = Lanes::sub(b, a);
        add_differences<Lanes, false>(sum, a, b, d, Lanes::abs(d), Lanes::all());
      }
    }
    fold(sum, wide);
  }
  if (whole < n) {
    // The masked step would hide a non-finite pair from the unmasked sums, so tests for it here.
    const typename Lanes::K valid = Lanes::first(n - whole);
    const F a = Lanes::template load_part<kR>(r.data, whole, n - whole, scale_r, zero_r);
    const F b = Lanes::template load_part<kT>(t.data, whole, n - whole, scale_t, zero_t);
    if constexpr (!kMasked) {
      const F d = Lanes::keep(valid, Lanes::sub(b, a));
      Lanes::add_to(wide + kSumSqD * kWidth, Lanes::sub(d, d));  // 0, or NaN
    }
    add_pairs<Lanes, true>(sum, a, b, p_r, p_t, valid);
    fold(sum, wide);
  }
  double* const totals[] = {&out.r, &out.t, &out.rr, &out.tt, &out.rt, &out.abs_d, &out.sq_d};
  for (std::size_t which = 0; which < kSums; ++which)
    for (std::size_t lane = 0; lane < kWidth; ++lane) *totals[which] += wide[which * kWidth + lane];
  out.n = Lanes::total_int(sum.n) + (kMasked ? 0 : whole);
  out.zeros_r = Lanes::total_int(sum.zeros_r);
  out.zeros_t = Lanes::total_int(sum.zeros_t);
  out.equal = Lanes::total_int(sum.equal);
  out.max_abs_d = Lanes::largest(sum.max_abs_d);
  out.min_r = -Lanes::largest(Lanes::sub(Lanes::splat(0), sum.min_r));
  out.max_r = Lanes::largest(sum.max_r);
  out.min_t = -Lanes::largest(Lanes::sub(Lanes::splat(0), sum.min_t));
  out.max_t = Lanes::largest(sum.max_t);
}

template <class Lanes, Element kR, Element kT>
EDGEPROBE_TARGET std::size_t find_abs(const Operand& r, const Operand& t, std::size_t n,
                                      float abs_d) {
  using F = typename Lanes::F;
  constexpr std::size_t kWidth = Lanes::kWidth;
  const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
  const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
  const F wanted = Lanes::splat(abs_d);
  for (std::size_t i = 0; i < n; i += kWidth) {
    const bool part = n - i < kWidth;
    const F a = part ? Lanes::template load_part<kR>(r.data, i, n - i, scale_r, zero_r)
                     : Lanes::template load<kR>(r.data, i, scale_r, zero_r);
    const F b = part ? Lanes::template load_part<kT>(t.data, i, n - i, scale_t, zero_t)
                     : Lanes::template load<kT>(t.data, i, scale_t, zero_t);
    const typename Lanes::K valid = part ? Lanes::first(n - i) : Lanes::all();
    const typename Lanes::K hit =
        Lanes::both(valid, Lanes::equal(Lanes::abs(Lanes::sub(b, a)), wanted));
    if (const unsigned bits = Lanes::bits(hit))
      return i + static_cast<std::size_t>(__builtin_ctz(bits));
  }
  return n;
}

// Processes kSide vectors of columns over all rows together, so that their sums do not wait for
// each other.
template <class Lanes, Element kR, Element kT, bool kMasked, std::size_t kSide>
EDGEPROBE_INLINE void add_square_columns(const Operand& r, const Operand& t, std::size_t rows,
                                         std::size_t width, std::size_t column, double* columns) {
  using F = typename Lanes::F;
  const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
  const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
  const F infinity = Lanes::splat(__builtin_inff());
  F sum[kSide];
  for (std::size_t k = 0; k < kSide; ++k) sum[k] = Lanes::splat(0);
  for (std::size_t row = 0, i = column; row < rows; ++row, i += width) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kSide; ++k) {
      F d = Lanes::sub(Lanes::template load<kT>(t.data, i + k * Lanes::kWidth, scale_t, zero_t),
                       Lanes::template load<kR>(r.data, i + k * Lanes::kWidth, scale_r, zero_r));
      if constexpr (kMasked) d = Lanes::keep(Lanes::below(Lanes::abs(d), infinity), d);
      sum[k] = Lanes::fma(d, d, sum[k]);
    }
  }
  for (std::size_t k = 0; k < kSide; ++k)
    Lanes::add_to(columns + column + k * Lanes::kWidth, sum[k]);
}

template <class Lanes, Element kR, Element kT, bool kMasked>
EDGEPROBE_TARGET void add_squares(const Operand& all_r, const Operand& all_t, std::size_t all_rows,
                                  std::size_t width, double* columns) {
  using F = typename Lanes::F;
  constexpr std::size_t kWidth = Lanes::kWidth, kSide = 4;
  for (std::size_t first = 0; first < all_rows; first += kSquareRows) {
    const std::size_t rows = all_rows - first < kSquareRows ? all_rows - first : kSquareRows;
    Operand r = all_r, t = all_t;
    r.data += first * width * size_of(kR);
    t.data += first * width * size_of(kT);
    std::size_t c = 0;
    for (; c + kSide * kWidth <= width; c += kSide * kWidth)
      add_square_columns<Lanes, kR, kT, kMasked, kSide>(r, t, rows, width, c, columns);
    for (; c + kWidth <= width; c += kWidth)
      add_square_columns<Lanes, kR, kT, kMasked, 1>(r, t, rows, width, c, columns);
    if (c == width) continue;
    const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
    const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
    F sum = Lanes::splat(0);
    for (std::size_t row = 0, i = c; row < rows; ++row, i += width) {
      F d = Lanes::sub(Lanes::template load_part<kT>(t.data, i, width - c, scale_t, zero_t),
                       Lanes::template load_part<kR>(r.data, i, width - c, scale_r, zero_r));
      if constexpr (kMasked)
        d = Lanes::keep(Lanes::below(Lanes::abs(d), Lanes::splat(__builtin_inff())), d);
      sum = Lanes::fma(d, d, sum);
    }
    double wide[kWidth] = {};
    Lanes::add_to(wide, sum);
    for (std::size_t k = 0; c + k < width; ++k) columns[c + k] += wide[k];
  }
}

template <class Lanes>
EDGEPROBE_TARGET void find_range(const std::byte* floats, std::size_t n, std::uint32_t& least,
                                 std::uint32_t& most) {
  using F = typename Lanes::F;
  using I = typename Lanes::I;
  constexpr std::size_t kWidth = Lanes::kWidth;
  const F unused = Lanes::splat(0);
  I low = Lanes::splat_int(-1), high = Lanes::splat_int(0);
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const I bits =
        Lanes::size_bits(Lanes::template load<Element::kFloat32>(floats, i, unused, unused));
    low = Lanes::min_bits(low, Lanes::less_one(bits));
    high = Lanes::max_bits(high, bits);
  }
  std::uint32_t lows[kWidth], highs[kWidth];
  __builtin_memcpy(lows, &low, sizeof low);
  __builtin_memcpy(highs, &high, sizeof high);
  least = ~std::uint32_t{0};
  most = 0;
  const auto add = [&](std::uint32_t less_one, std::uint32_t bits) {
    least = less_one < least ? less_one : least;
    most = bits > most ? bits : most;
  };
  for (std::size_t k = 0; k < kWidth; ++k) add(lows[k], highs[k]);
  for (; i < n; ++i) {
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, floats + i * sizeof bits, sizeof bits);
    bits &= 0x7fffffffu;
    add(bits - 1, bits);
  }
}

template <class Lanes, Element kR, Element kT>
constexpr void fill_cell(Kernels& set) {
  constexpr auto i = static_cast<std::size_t>(kR), j = static_cast<std::size_t>(kT);
  set.block[i][j] = add_block<Lanes, kR, kT, false>;
  set.masked[i][j] = add_block<Lanes, kR, kT, true>;
  set.find[i][j] = find_abs<Lanes, kR, kT>;
  set.squares[i][j] = add_squares<Lanes, kR, kT, false>;
  set.masked_squares[i][j] = add_squares<Lanes, kR, kT, true>;
}

template <class Lanes, Element kR>
constexpr void fill_row(Kernels& set) {
  fill_cell<Lanes, kR, Element::kFloat32>(set);
  fill_cell<Lanes, kR, Element::kInt8>(set);
  fill_cell<Lanes, kR, Element::kUInt8>(set);
}

template <class Lanes, class Bytes>
constexpr Kernels make_kernels(const char* name) {
  Kernels set{};
  set.name = name;
  fill_row<Lanes, Element::kFloat32>(set);
  fill_row<Lanes, Element::kInt8>(set);
  fill_row<Lanes, Element::kUInt8>(set);
  set.signed_codes = add_codes<Bytes, true>;
  set.unsigned_codes = add_codes<Bytes, false>;
  set.code_squares = add_code_squares<Bytes>;
  set.range = find_range<Lanes>;
  return set;
}
