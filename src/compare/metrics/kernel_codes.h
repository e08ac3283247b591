// SPDX-License-Identifier: Apache-2.0
// The loops of kernel.h over 8-bit codes of one quantisation, exact in integers, over a `Bytes`
// type. Included like kernel_body.h and before it, hence no #pragma once and no includes here.

// Codes count from the lowest of their type, so that one set of unsigned loops serves both types.
template <bool kSigned>
constexpr int kShift = kSigned ? 128 : 0;

template <bool kSigned>
constexpr int shifted_code(const std::byte* codes, std::size_t i) {
  return static_cast<int>(static_cast<std::uint8_t>(codes[i])) ^ kShift<kSigned>;
}

template <class Bytes, bool kSigned>
EDGEPROBE_TARGET __attribute__((always_inline)) inline typename Bytes::V shifted(
    const std::byte* codes) {
  const typename Bytes::V v = Bytes::load(codes);
  if constexpr (kSigned) return Bytes::either(v, Bytes::splat(kShift<true>));
  else return v;
}

constexpr void add_code_pair(CodeSums& sums, int r, int t, int zero) {
  const int abs_d = t > r ? t - r : r - t;
  sums.r += r;
  sums.t += t;
  sums.rr += r * r;
  sums.tt += t * t;
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

// The bytes of a run of this length are read twice, from the first-level cache; it also keeps a
// lane's count below 256.
template <class Bytes>
constexpr std::size_t kCodeRun = 128 * Bytes::kWidth < 2048 ? 128 * Bytes::kWidth : 2048;

template <class Bytes>
EDGEPROBE_TARGET std::uint64_t count_code(const std::byte* codes, std::size_t n, int stored) {
  using V = typename Bytes::V;
  const V wanted = Bytes::splat(stored);
  const std::size_t whole = n / Bytes::kWidth * Bytes::kWidth;
  typename Bytes::Sum sum = Bytes::no_sum();
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = whole - i < kCodeRun<Bytes> ? whole : i + kCodeRun<Bytes>;
    V count = Bytes::splat(0);
    for (; i < end; i += Bytes::kWidth)
      count = Bytes::tally_equal(count, Bytes::load(codes + i), wanted);
    sum = Bytes::add_bytes(sum, count);
  }
  std::uint64_t total = Bytes::total(sum);
  for (std::size_t i = whole; i < n; ++i)
    total += static_cast<int>(static_cast<std::uint8_t>(codes[i])) == stored;
  return total;
}

// Codes at the ends of the range, without another pass over values that do not reach them, or whose
// zero point is the end that they reach.
template <class Bytes, bool kSigned>
EDGEPROBE_TARGET std::uint64_t count_ends(const std::byte* codes, std::size_t n, int least,
                                          int most, int zero, std::uint64_t zeros) {
  const auto at = [&](int end) EDGEPROBE_TARGET {
    return zero == end ? zeros : count_code<Bytes>(codes, n, end ^ kShift<kSigned>);
  };
  return (least == 0 ? at(0) : 0) + (most == 255 ? at(255) : 0);
}

template <class Bytes>
EDGEPROBE_TARGET int extreme(typename Bytes::V v, bool largest) {
  std::byte lanes[Bytes::kWidth];
  Bytes::store(lanes, v);
  int best = static_cast<int>(lanes[0]);
  for (const std::byte lane : lanes) {
    const int code = static_cast<int>(lane);
    best = largest ? (code > best ? code : best) : (code < best ? code : best);
  }
  return best;
}

// Sums over whole vectors of shifted codes.
template <class Bytes, bool kSigned>
EDGEPROBE_TARGET void add_whole_codes(const std::byte* r, const std::byte* t, std::size_t whole,
                                      int zero, std::byte* distances, CodeSums& out) {
  using V = typename Bytes::V;
  constexpr std::size_t kWidth = Bytes::kWidth;
  const bool has_zero = zero >= 0 && zero <= 255;
  const V zero_code = Bytes::splat(has_zero ? zero : 0), none = Bytes::splat(0);
  V min_r = Bytes::splat(255), max_r = none, min_t = min_r, max_t = none, max_d = none;
  typename Bytes::Sum sum_r = Bytes::no_sum(), sum_t = sum_r, sum_d = sum_r, zeros_r = sum_r,
                      zeros_t = sum_r, equal = sum_r;
  typename Bytes::Products rr = Bytes::no_products(), tt = rr;
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = whole - i < kCodeRun<Bytes> ? whole : i + kCodeRun<Bytes>;
    V count_r = none, count_t = none, count_equal = none;
    for (std::size_t k = i; k < end; k += kWidth) {
      const V a = shifted<Bytes, kSigned>(r + k), b = shifted<Bytes, kSigned>(t + k);
      const V d = Bytes::distance(a, b);
      Bytes::store(distances + k, d);
      sum_r = Bytes::add_bytes(sum_r, a);
      sum_t = Bytes::add_bytes(sum_t, b);
      sum_d = Bytes::add_bytes(sum_d, d);
      max_d = Bytes::max(max_d, d);
      min_r = Bytes::min(min_r, a);
      max_r = Bytes::max(max_r, a);
      min_t = Bytes::min(min_t, b);
      max_t = Bytes::max(max_t, b);
      count_r = Bytes::tally_equal(count_r, a, zero_code);
      count_t = Bytes::tally_equal(count_t, b, zero_code);
      count_equal = Bytes::tally_equal(count_equal, d, none);
    }
    zeros_r = Bytes::add_bytes(zeros_r, count_r);
    zeros_t = Bytes::add_bytes(zeros_t, count_t);
    equal = Bytes::add_bytes(equal, count_equal);
    for (; i < end; i += kWidth) {
      rr = Bytes::add_products(rr, shifted<Bytes, kSigned>(r + i));
      tt = Bytes::add_products(tt, shifted<Bytes, kSigned>(t + i));
    }
  }
  out.n = whole;
  out.r = static_cast<std::int64_t>(Bytes::total(sum_r));
  out.t = static_cast<std::int64_t>(Bytes::total(sum_t));
  out.abs_d = static_cast<std::int64_t>(Bytes::total(sum_d));
  out.rr = Bytes::total_products(rr);
  out.tt = Bytes::total_products(tt);
  out.zeros_r = has_zero ? Bytes::total(zeros_r) : 0;
  out.zeros_t = has_zero ? Bytes::total(zeros_t) : 0;
  out.equal = Bytes::total(equal);
  out.min_r = extreme<Bytes>(min_r, false);
  out.max_r = extreme<Bytes>(max_r, true);
  out.min_t = extreme<Bytes>(min_t, false);
  out.max_t = extreme<Bytes>(max_t, true);
  out.max_abs_d = extreme<Bytes>(max_d, true);
}

template <class Bytes, bool kSigned>
EDGEPROBE_TARGET void add_codes(const std::byte* r, const std::byte* t, std::size_t n, int zero,
                                std::byte* distances, CodeSums& out) {
  constexpr int kOffset = kShift<kSigned>;
  zero += kOffset;
  out = CodeSums{};
  const std::size_t whole = n / Bytes::kWidth * Bytes::kWidth;
  if (whole > 0) add_whole_codes<Bytes, kSigned>(r, t, whole, zero, distances, out);
  for (std::size_t i = whole; i < n; ++i) {
    const int a = shifted_code<kSigned>(r, i), b = shifted_code<kSigned>(t, i);
    distances[i] = static_cast<std::byte>(b > a ? b - a : a - b);
    add_code_pair(out, a, b, zero);
  }
  if (n == 0) return;
  out.ends_r = count_ends<Bytes, kSigned>(r, n, out.min_r, out.max_r, zero, out.zeros_r);
  out.ends_t = count_ends<Bytes, kSigned>(t, n, out.min_t, out.max_t, zero, out.zeros_t);
  // From shifted codes to codes: (u - 128)^2 = u^2 - 256 u + 128^2.
  const auto count = static_cast<std::int64_t>(n);
  out.rr += count * kOffset * kOffset - 2 * kOffset * out.r;
  out.tt += count * kOffset * kOffset - 2 * kOffset * out.t;
  out.r -= count * kOffset;
  out.t -= count * kOffset;
  out.min_r -= kOffset;
  out.max_r -= kOffset;
  out.min_t -= kOffset;
  out.max_t -= kOffset;
}

template <class Bytes>
EDGEPROBE_TARGET void add_code_squares(const std::byte* distances, std::size_t rows,
                                       std::size_t width, int most, std::uint32_t* columns) {
  if (most == 0) return;
  constexpr std::size_t kWidth = Bytes::kWidth;
  // Two squares of a byte below 128 are one multiplication into 16 bits, which take this many such
  // pairs; larger distances need 32 bits at once.
  const std::size_t pairs = most < 128 ? 65535 / (2 * static_cast<std::size_t>(most * most)) : 0;
  std::size_t c = 0;
  for (; c + kWidth <= width; c += kWidth) {
    typename Bytes::Columns sums = Bytes::no_columns();
    std::size_t row = 0;
    const std::byte* at = distances + c;
    while (pairs > 0 && row + 2 <= rows) {
      typename Bytes::Narrow narrow = Bytes::no_narrow();
      const std::size_t left = (rows - row) / 2, now = left < pairs ? left : pairs;
      for (std::size_t k = 0; k < now; ++k, at += 2 * width)
        Bytes::add_small_squares(narrow, Bytes::load(at), Bytes::load(at + width));
      Bytes::widen(sums, narrow);
      row += 2 * now;
    }
    for (; row + 2 <= rows; row += 2, at += 2 * width)
      Bytes::add_squares(sums, Bytes::load(at), Bytes::load(at + width));
    if (row < rows) Bytes::add_squares(sums, Bytes::load(at), Bytes::splat(0));
    Bytes::add_to(columns + c, sums);
  }
  for (; c < width; ++c) {
    std::uint32_t sum = 0;
    for (std::size_t row = 0, i = c; row < rows; ++row, i += width) {
      const auto d = static_cast<std::uint32_t>(distances[i]);
      sum += d * d;
    }
    columns[c] += sum;
  }
}
