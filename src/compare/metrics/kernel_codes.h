// SPDX-License-Identifier: Apache-2.0
// The loops of kernel.h over 8-bit codes of one quantisation, exact in integers, over a `Bytes`
// type. Included like kernel_body.h and before it, hence no #pragma once and no includes here.

template <bool kSigned>
constexpr int code_at(const std::byte* codes, std::size_t i) {
  return kSigned ? int{static_cast<std::int8_t>(codes[i])}
                 : int{static_cast<std::uint8_t>(codes[i])};
}

template <bool kSigned>
constexpr void add_code_pair(CodeSums& sums, int r, int t, int zero) {
  const int abs_d = t > r ? t - r : r - t;
  sums.r += r;
  sums.t += t;
  sums.rr += r * r;
  sums.tt += t * t;
  sums.rt += r * t;
  sums.abs_d += abs_d;
  sums.max_abs_d = sums.max_abs_d > abs_d ? sums.max_abs_d : abs_d;
  const bool first = sums.n == 0;
  sums.min_r = first || r < sums.min_r ? r : sums.min_r;
  sums.max_r = first || r > sums.max_r ? r : sums.max_r;
  sums.min_t = first || t < sums.min_t ? t : sums.min_t;
  sums.max_t = first || t > sums.max_t ? t : sums.max_t;
  sums.zeros_r += r == zero;
  sums.zeros_t += t == zero;
  sums.equal += r == t;
  ++sums.n;
}

template <class Bytes, bool kSigned>
EDGEPROBE_TARGET void add_codes(const std::byte* r, const std::byte* t, std::size_t n, int zero,
                                CodeSums& out) {
  using V = typename Bytes::V;
  constexpr std::size_t kWidth = Bytes::kWidth;
  // keeps a lane's count below 256
  constexpr std::size_t kRun = 128 * kWidth < 2048 ? 128 * kWidth : 2048;
  constexpr int kLowest = kSigned ? -128 : 0, kHighest = kSigned ? 127 : 255;
  out = CodeSums{};
  const std::size_t whole = n / kWidth * kWidth;
  if (whole > 0) {
    const bool has_zero = zero >= kLowest && zero <= kHighest;
    const V zero_code = Bytes::splat(has_zero ? zero : 0), flip = Bytes::splat(kSigned ? 0x80 : 0),
            none = Bytes::splat(0);
    V min_r = Bytes::splat(kHighest), max_r = Bytes::splat(kLowest), min_t = min_r, max_t = max_r,
      max_d = none;
    typename Bytes::Sum sum_r = Bytes::no_sum(), sum_t = sum_r, sum_d = sum_r, zeros_r = sum_r,
                        zeros_t = sum_r, equal = sum_r;
    typename Bytes::Products rr = Bytes::no_products(), tt = rr, rt = rr;
    for (std::size_t i = 0; i < whole;) {
      const std::size_t end = whole - i < kRun ? whole : i + kRun;
      V count_r = none, count_t = none, count_equal = none;
      for (std::size_t k = i; k < end; k += kWidth) {
        const V a = Bytes::load(r + k), b = Bytes::load(t + k);
        const V d =
            Bytes::minus(Bytes::template max<kSigned>(a, b), Bytes::template min<kSigned>(a, b));
        sum_r = Bytes::add_bytes(sum_r, Bytes::either(a, flip));
        sum_t = Bytes::add_bytes(sum_t, Bytes::either(b, flip));
        sum_d = Bytes::add_bytes(sum_d, d);
        max_d = Bytes::template max<false>(max_d, d);
        min_r = Bytes::template min<kSigned>(min_r, a);
        max_r = Bytes::template max<kSigned>(max_r, a);
        min_t = Bytes::template min<kSigned>(min_t, b);
        max_t = Bytes::template max<kSigned>(max_t, b);
        count_r = Bytes::tally_equal(count_r, a, zero_code);
        count_t = Bytes::tally_equal(count_t, b, zero_code);
        count_equal = Bytes::tally_equal(count_equal, a, b);
      }
      zeros_r = Bytes::add_bytes(zeros_r, count_r);
      zeros_t = Bytes::add_bytes(zeros_t, count_t);
      equal = Bytes::add_bytes(equal, count_equal);
      for (; i < end; i += kWidth) {
        const auto a = Bytes::template widened<kSigned>(r + i),
                   b = Bytes::template widened<kSigned>(t + i);
        rr = Bytes::add_products(rr, a, a);
        tt = Bytes::add_products(tt, b, b);
        rt = Bytes::add_products(rt, a, b);
      }
    }
    const auto offset = static_cast<std::int64_t>(whole) * (kSigned ? 128 : 0);
    out.n = whole;
    out.r = static_cast<std::int64_t>(Bytes::total(sum_r)) - offset;
    out.t = static_cast<std::int64_t>(Bytes::total(sum_t)) - offset;
    out.abs_d = static_cast<std::int64_t>(Bytes::total(sum_d));
    out.rr = Bytes::total_products(rr);
    out.tt = Bytes::total_products(tt);
    out.rt = Bytes::total_products(rt);
    out.zeros_r = has_zero ? Bytes::total(zeros_r) : 0;
    out.zeros_t = has_zero ? Bytes::total(zeros_t) : 0;
    out.equal = Bytes::total(equal);
    std::byte lanes[kWidth];
    const auto extreme = [&](V v, bool is_signed, bool largest) EDGEPROBE_TARGET {
      Bytes::store(lanes, v);
      int best = is_signed ? code_at<true>(lanes, 0) : code_at<false>(lanes, 0);
      for (std::size_t k = 1; k < kWidth; ++k) {
        const int code = is_signed ? code_at<true>(lanes, k) : code_at<false>(lanes, k);
        best = largest ? (code > best ? code : best) : (code < best ? code : best);
      }
      return best;
    };
    out.min_r = extreme(min_r, kSigned, false);
    out.max_r = extreme(max_r, kSigned, true);
    out.min_t = extreme(min_t, kSigned, false);
    out.max_t = extreme(max_t, kSigned, true);
    out.max_abs_d = extreme(max_d, false, true);
  }
  for (std::size_t i = whole; i < n; ++i)
    add_code_pair<kSigned>(out, code_at<kSigned>(r, i), code_at<kSigned>(t, i), zero);
}

template <class Bytes, bool kSigned>
EDGEPROBE_TARGET std::size_t find_code(const std::byte* r, const std::byte* t, std::size_t n,
                                       int abs_d) {
  using V = typename Bytes::V;
  const V wanted = Bytes::splat(abs_d);
  std::size_t i = 0;
  for (; i + Bytes::kWidth <= n; i += Bytes::kWidth) {
    const V a = Bytes::load(r + i), b = Bytes::load(t + i);
    const V d =
        Bytes::minus(Bytes::template max<kSigned>(a, b), Bytes::template min<kSigned>(a, b));
    if (const std::uint64_t hits = Bytes::equal_bits(d, wanted))
      return i + static_cast<std::size_t>(__builtin_ctzll(hits)) / Bytes::kBitsALane;
  }
  for (; i < n; ++i) {
    const int d = code_at<kSigned>(t, i) - code_at<kSigned>(r, i);
    if (d == abs_d || -d == abs_d) return i;
  }
  return n;
}

template <class Bytes, bool kSigned>
EDGEPROBE_TARGET void add_code_squares(const std::byte* r, const std::byte* t, std::size_t rows,
                                       std::size_t width, double* columns) {
  using V = typename Bytes::V;
  constexpr std::size_t kWidth = Bytes::kWidth;
  const auto distance = [&](std::size_t i) EDGEPROBE_TARGET {
    const V a = Bytes::load(r + i), b = Bytes::load(t + i);
    return Bytes::minus(Bytes::template max<kSigned>(a, b), Bytes::template min<kSigned>(a, b));
  };
  constexpr std::size_t kMostRows = 16384;  // two more of their products stay below 2^31
  for (std::size_t first = 0; first < rows; first += kMostRows) {
    const std::size_t last = rows - first < kMostRows ? rows : first + kMostRows;
    std::size_t c = 0;
    for (; c + kWidth <= width; c += kWidth) {
      typename Bytes::Columns sums = Bytes::no_columns();
      std::size_t row = first, i = first * width + c;
      for (; row + 2 <= last; row += 2, i += 2 * width)
        Bytes::add_squares(sums, distance(i), distance(i + width));
      if (row < last) Bytes::add_squares(sums, distance(i), Bytes::splat(0));
      Bytes::add_to(columns + c, sums);
    }
    for (; c < width; ++c) {
      std::int64_t sum = 0;
      for (std::size_t row = first, i = first * width + c; row < last; ++row, i += width) {
        const int d = code_at<kSigned>(t, i) - code_at<kSigned>(r, i);
        sum += d * d;
      }
      columns[c] += static_cast<double>(sum);
    }
  }
}
