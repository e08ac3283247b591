// The loops of kernel.h over a `Lanes` type. Each kernel_<set>.cc defines EDGEPROBE_TARGET (the function
// attribute of its instruction set) and its Lanes, and includes this file inside an unnamed namespace, so that
// no function compiled for a newer processor can be picked by the linker for an older one. Hence no #pragma once
// and no includes here.

#define EDGEPROBE_INLINE EDGEPROBE_TARGET __attribute__((always_inline)) inline

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

// Adds one vector of pairs. Unmasked: all lanes count. Masked: those in `valid` with a finite difference.
template <class Lanes, bool kMasked>
EDGEPROBE_INLINE void add_pairs(Accumulators<Lanes>& sum, typename Lanes::F a, typename Lanes::F b,
                                typename Lanes::F pivot_r, typename Lanes::F pivot_t,
                                typename Lanes::K valid) {
  const typename Lanes::F zero = Lanes::splat(0);
  typename Lanes::F d = Lanes::sub(b, a);
  typename Lanes::F abs_d = Lanes::abs(d);
  typename Lanes::F x = Lanes::sub(a, pivot_r), y = Lanes::sub(b, pivot_t);
  if constexpr (kMasked) {
    // |d| < inf fails for NaN, for infinity and for an overflowed difference alike.
    const typename Lanes::K good = Lanes::both(valid, Lanes::below(abs_d, Lanes::splat(__builtin_inff())));
    d = Lanes::keep(good, d);
    abs_d = Lanes::keep(good, abs_d);
    x = Lanes::keep(good, x);
    y = Lanes::keep(good, y);
    sum.n = Lanes::tally(sum.n, good);
    sum.zeros_r = Lanes::tally(sum.zeros_r, Lanes::both(good, Lanes::equal(a, zero)));
    sum.zeros_t = Lanes::tally(sum.zeros_t, Lanes::both(good, Lanes::equal(b, zero)));
    sum.equal = Lanes::tally(sum.equal, Lanes::both(good, Lanes::equal(a, b)));
    sum.min_r = Lanes::min(sum.min_r, Lanes::select(good, a, sum.min_r));
    sum.max_r = Lanes::max(sum.max_r, Lanes::select(good, a, sum.max_r));
    sum.min_t = Lanes::min(sum.min_t, Lanes::select(good, b, sum.min_t));
    sum.max_t = Lanes::max(sum.max_t, Lanes::select(good, b, sum.max_t));
  } else {
    sum.zeros_r = Lanes::tally(sum.zeros_r, Lanes::equal(a, zero));
    sum.zeros_t = Lanes::tally(sum.zeros_t, Lanes::equal(b, zero));
    sum.equal = Lanes::tally(sum.equal, Lanes::equal(a, b));
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
  sum.abs_d = Lanes::add(sum.abs_d, abs_d);
  sum.sq_d = Lanes::fma(d, d, sum.sq_d);
  sum.max_abs_d = Lanes::max(sum.max_abs_d, abs_d);
}

// Lane sums in double: seven rows of kWidth.
template <class Lanes>
EDGEPROBE_INLINE void fold(Accumulators<Lanes>& sum, double* wide) {
  constexpr std::size_t kWidth = Lanes::kWidth;
  Lanes::add_to(wide + ColumnSums::kR * kWidth, sum.r);
  Lanes::add_to(wide + ColumnSums::kT * kWidth, sum.t);
  Lanes::add_to(wide + ColumnSums::kRR * kWidth, sum.rr);
  Lanes::add_to(wide + ColumnSums::kTT * kWidth, sum.tt);
  Lanes::add_to(wide + ColumnSums::kRT * kWidth, sum.rt);
  Lanes::add_to(wide + ColumnSums::kAbsD * kWidth, sum.abs_d);
  Lanes::add_to(wide + ColumnSums::kSqD * kWidth, sum.sq_d);
  sum.r = sum.t = sum.rr = sum.tt = sum.rt = sum.abs_d = sum.sq_d = Lanes::splat(0);
}

template <class Lanes, Element kR, Element kT, bool kMasked>
EDGEPROBE_TARGET void add_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t,
                                Sums& out) {
  using F = typename Lanes::F;
  constexpr std::size_t kWidth = Lanes::kWidth;
  // A lane adds this many terms, then goes into double. Equal terms (the zeros behind a ReLU) round the same
  // way each time, so the error grows with the run: 7e-7 was seen with 128.
  constexpr std::size_t kRun = kWidth * 32;
  const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
  const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
  const F p_r = Lanes::splat(pivot_r), p_t = Lanes::splat(pivot_t);
  out = Sums{};
  double wide[ColumnSums::kSums * kWidth] = {};
  Accumulators<Lanes> sum;
  sum.clear();
  const std::size_t whole = n / kWidth * kWidth;
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = whole - i < kRun ? whole : i + kRun;
    for (; i < end; i += kWidth)
      add_pairs<Lanes, kMasked>(sum, Lanes::template load<kR>(r.data, i, scale_r, zero_r),
                                Lanes::template load<kT>(t.data, i, scale_t, zero_t), p_r, p_t, Lanes::all());
    fold(sum, wide);
  }
  if (whole < n) {
    // The masked step would hide a pair that is not finite from the unmasked sums: test it here.
    const typename Lanes::K valid = Lanes::first(n - whole);
    const F a = Lanes::template load_part<kR>(r.data, whole, n - whole, scale_r, zero_r);
    const F b = Lanes::template load_part<kT>(t.data, whole, n - whole, scale_t, zero_t);
    if constexpr (!kMasked) {
      const F d = Lanes::keep(valid, Lanes::sub(b, a));
      Lanes::add_to(wide + ColumnSums::kSqD * kWidth, Lanes::sub(d, d));  // 0, or NaN
    }
    add_pairs<Lanes, true>(sum, a, b, p_r, p_t, valid);
    fold(sum, wide);
  }
  double* const totals[] = {&out.r, &out.t, &out.rr, &out.tt, &out.rt, &out.abs_d, &out.sq_d};
  for (std::size_t which = 0; which < ColumnSums::kSums; ++which)
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
EDGEPROBE_TARGET std::size_t find_abs(const Operand& r, const Operand& t, std::size_t n, float abs_d) {
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
    const typename Lanes::K hit = Lanes::both(valid, Lanes::equal(Lanes::abs(Lanes::sub(b, a)), wanted));
    if (const unsigned bits = Lanes::bits(hit)) return i + static_cast<std::size_t>(__builtin_ctz(bits));
  }
  return n;
}

// One vector of columns over all rows of the tile.
template <class Lanes, Element kR, Element kT, bool kMasked>
EDGEPROBE_INLINE void add_columns(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                                  std::size_t column, std::size_t count, typename Lanes::F pivot_r,
                                  typename Lanes::F pivot_t, Accumulators<Lanes>& sum,
                                  typename Lanes::I& max_row) {
  using F = typename Lanes::F;
  const F scale_r = Lanes::splat(r.scale), zero_r = Lanes::splat(r.zero);
  const F scale_t = Lanes::splat(t.scale), zero_t = Lanes::splat(t.zero);
  const bool part = count < Lanes::kWidth;
  const typename Lanes::K valid = Lanes::first(count);
  const F infinity = Lanes::splat(__builtin_inff());
  sum.clear();
  max_row = Lanes::splat_int(0);
  for (std::size_t row = 0, i = column; row < rows; ++row, i += width) {
    F a, b;
    if (part) {
      a = Lanes::keep(valid, Lanes::template load_part<kR>(r.data, i, count, scale_r, zero_r));
      b = Lanes::keep(valid, Lanes::template load_part<kT>(t.data, i, count, scale_t, zero_t));
    } else {
      a = Lanes::template load<kR>(r.data, i, scale_r, zero_r);
      b = Lanes::template load<kT>(t.data, i, scale_t, zero_t);
    }
    const F abs_d = Lanes::abs(Lanes::sub(b, a));
    typename Lanes::K larger = Lanes::below(sum.max_abs_d, abs_d);
    if constexpr (kMasked) larger = Lanes::both(larger, Lanes::below(abs_d, infinity));
    max_row = Lanes::select_int(larger, Lanes::splat_int(static_cast<int>(row)), max_row);
    add_pairs<Lanes, kMasked>(sum, a, b, pivot_r, pivot_t, valid);
  }
  if constexpr (!kMasked) sum.n = Lanes::splat_int(static_cast<int>(rows));
}

// All lanes neither overflowed nor underflowed (see in_float_range).
template <class Lanes>
EDGEPROBE_INLINE bool lanes_in_range(const Accumulators<Lanes>& sum) {
  using F = typename Lanes::F;
  using K = typename Lanes::K;
  const F zero = Lanes::splat(0), infinity = Lanes::splat(__builtin_inff());
  const F smallest = Lanes::splat(kSmallestTrusted);
  const F all = Lanes::add(Lanes::add(sum.rr, sum.tt), sum.sq_d);
  const K finite = Lanes::both(Lanes::below(all, infinity), Lanes::below(Lanes::abs(sum.rt), infinity));
  const auto tiny = [&](F value) EDGEPROBE_TARGET {
    return Lanes::bits(Lanes::both(Lanes::below(zero, value), Lanes::below(value, smallest)));
  };
  return Lanes::bits(finite) == Lanes::bits(Lanes::all()) &&
         (tiny(sum.max_abs_d) | tiny(Lanes::sub(sum.max_r, sum.min_r)) |
          tiny(Lanes::sub(sum.max_t, sum.min_t))) == 0;
}

template <class Lanes>
EDGEPROBE_INLINE void fold_columns(const Accumulators<Lanes>& sum, typename Lanes::I max_row,
                                   std::uint64_t first_row, std::size_t c, ColumnSums& s) {
  const std::size_t p = s.padded;
  double* sums = s.sums.data() + c;
  Lanes::add_to(sums + ColumnSums::kR * p, sum.r);
  Lanes::add_to(sums + ColumnSums::kT * p, sum.t);
  Lanes::add_to(sums + ColumnSums::kRR * p, sum.rr);
  Lanes::add_to(sums + ColumnSums::kTT * p, sum.tt);
  Lanes::add_to(sums + ColumnSums::kRT * p, sum.rt);
  Lanes::add_to(sums + ColumnSums::kAbsD * p, sum.abs_d);
  Lanes::add_to(sums + ColumnSums::kSqD * p, sum.sq_d);
  std::uint32_t* counts = s.counts.data() + c;
  Lanes::add_to(counts + ColumnSums::kN * p, sum.n);
  Lanes::add_to(counts + ColumnSums::kZerosR * p, sum.zeros_r);
  Lanes::add_to(counts + ColumnSums::kZerosT * p, sum.zeros_t);
  Lanes::add_to(counts + ColumnSums::kEqual * p, sum.equal);
  float* extremes = s.extremes.data() + c;
  const typename Lanes::F best = Lanes::load_floats(extremes + ColumnSums::kMaxAbsD * p);
  if (unsigned better = Lanes::bits(Lanes::below(best, sum.max_abs_d))) {
    std::uint32_t rows[Lanes::kWidth] = {};
    Lanes::add_to(rows, max_row);
    for (; better; better &= better - 1) {
      const int lane = __builtin_ctz(better);
      s.max_row[c + static_cast<std::size_t>(lane)] = first_row + rows[lane];
    }
    Lanes::store(extremes + ColumnSums::kMaxAbsD * p, Lanes::max(best, sum.max_abs_d));
  }
  float* at = extremes + ColumnSums::kMinR * p;
  Lanes::store(at, Lanes::min(Lanes::load_floats(at), sum.min_r));
  at = extremes + ColumnSums::kMaxR * p;
  Lanes::store(at, Lanes::max(Lanes::load_floats(at), sum.max_r));
  at = extremes + ColumnSums::kMinT * p;
  Lanes::store(at, Lanes::min(Lanes::load_floats(at), sum.min_t));
  at = extremes + ColumnSums::kMaxT * p;
  Lanes::store(at, Lanes::max(Lanes::load_floats(at), sum.max_t));
}

template <class Lanes, Element kR, Element kT>
EDGEPROBE_TARGET void add_rows(const Operand& r, const Operand& t, std::size_t rows, std::uint64_t first_row,
                               ColumnSums& s) {
  for (std::size_t c = 0; c < s.width; c += Lanes::kWidth) {
    const std::size_t count = s.width - c < Lanes::kWidth ? s.width - c : Lanes::kWidth;
    const typename Lanes::F p_r = Lanes::load_floats(s.pivot_r.data() + c);
    const typename Lanes::F p_t = Lanes::load_floats(s.pivot_t.data() + c);
    Accumulators<Lanes> sum;
    typename Lanes::I max_row;
    add_columns<Lanes, kR, kT, false>(r, t, rows, s.width, c, count, p_r, p_t, sum, max_row);
    if (!lanes_in_range(sum)) {
      add_columns<Lanes, kR, kT, true>(r, t, rows, s.width, c, count, p_r, p_t, sum, max_row);
      if (Lanes::total_int(sum.n) != rows * count) classify_columns(r, t, rows, c, count, s);
      if (!lanes_in_range(sum)) {
        exact_columns(r, t, rows, first_row, c, count, s);
        continue;
      }
    }
    fold_columns(sum, max_row, first_row, c, s);
  }
}

template <class Lanes, Element kR, Element kT>
constexpr void fill_cell(Kernels& set) {
  constexpr auto i = static_cast<std::size_t>(kR), j = static_cast<std::size_t>(kT);
  set.block[i][j] = add_block<Lanes, kR, kT, false>;
  set.masked[i][j] = add_block<Lanes, kR, kT, true>;
  set.find[i][j] = find_abs<Lanes, kR, kT>;
  set.rows[i][j] = add_rows<Lanes, kR, kT>;
}

template <class Lanes, Element kR>
constexpr void fill_row(Kernels& set) {
  fill_cell<Lanes, kR, Element::kFloat32>(set);
  fill_cell<Lanes, kR, Element::kInt8>(set);
  fill_cell<Lanes, kR, Element::kUInt8>(set);
}

template <class Lanes>
constexpr Kernels make_kernels(const char* name) {
  Kernels set{};
  set.name = name;
  fill_row<Lanes, Element::kFloat32>(set);
  fill_row<Lanes, Element::kInt8>(set);
  fill_row<Lanes, Element::kUInt8>(set);
  return set;
}
