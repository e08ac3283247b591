// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "compare/metrics/accumulate.h"
#include "compare/metrics/kernel_sets.h"
#include "compare/metrics/metrics.h"

namespace edgeprobe::compare {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// The definition: two passes in long double over the values of to_float(). If both sides contain
// 8-bit codes of one quantisation, over (code - zero) * scale, not rounded to float.
struct Exact {
  std::uint64_t n = 0, zeros_r = 0, zeros_t = 0, equal = 0, bad = 0, max_index = 0;
  long double mean_r = 0, mean_t = 0, m2_r = 0, m2_t = 0, c_rt = 0, abs_d = 0, sq_d = 0;
  double max_abs_d = 0;
  float min_r = 0, max_r = 0, min_t = 0, max_t = 0;
};

Exact exact(const std::vector<float>& r, const std::vector<float>& t,
            long double unrounded_unit = 0) {
  Exact e;
  // The exact value before rounding: a whole number of units.
  const auto real = [&](float value) {
    return unrounded_unit == 0 ? static_cast<long double>(value)
                               : std::round(value / unrounded_unit) * unrounded_unit;
  };
  for (std::size_t i = 0; i < r.size(); ++i) {
    const float d = t[i] - r[i];
    if (!std::isfinite(d)) {
      ++e.bad;
      continue;
    }
    if (e.n == 0) {
      e.min_r = e.max_r = r[i];
      e.min_t = e.max_t = t[i];
    }
    e.min_r = std::min(e.min_r, r[i]);
    e.max_r = std::max(e.max_r, r[i]);
    e.min_t = std::min(e.min_t, t[i]);
    e.max_t = std::max(e.max_t, t[i]);
    ++e.n;
    e.mean_r += real(r[i]);
    e.mean_t += real(t[i]);
    e.zeros_r += r[i] == 0;
    e.zeros_t += t[i] == 0;
    e.equal += r[i] == t[i];
    const long double wide = real(t[i]) - real(r[i]);
    e.abs_d += std::fabs(wide);
    e.sq_d += wide * wide;
    const double abs_d =
        unrounded_unit == 0 ? double{std::fabs(d)} : static_cast<double>(std::fabs(wide));
    if (abs_d > e.max_abs_d) {
      e.max_abs_d = abs_d;
      e.max_index = i;
    }
  }
  if (e.n == 0) return e;
  e.mean_r /= static_cast<long double>(e.n);
  e.mean_t /= static_cast<long double>(e.n);
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (!std::isfinite(t[i] - r[i])) continue;
    e.m2_r += (real(r[i]) - e.mean_r) * (real(r[i]) - e.mean_r);
    e.m2_t += (real(t[i]) - e.mean_t) * (real(t[i]) - e.mean_t);
    e.c_rt += (real(r[i]) - e.mean_r) * (real(t[i]) - e.mean_t);
  }
  return e;
}

void expect_near(double got, long double want, long double unit, double tolerance,
                 const char* what) {
  EXPECT_LE(std::fabs(static_cast<double>(got - want)), tolerance * static_cast<double>(unit))
      << what << ": " << got;
}

void expect_equal(const Moments& m, const Exact& e, double tolerance) {
  EXPECT_EQ(m.n, e.n);
  EXPECT_EQ(m.zeros_r, e.zeros_r);
  EXPECT_EQ(m.zeros_t, e.zeros_t);
  EXPECT_EQ(m.equal, e.equal);
  EXPECT_EQ(m.max_index, e.max_index);
  EXPECT_DOUBLE_EQ(m.max_abs_d, e.max_abs_d);
  if (e.n == 0) return;
  EXPECT_EQ(m.min_r, double{e.min_r});
  EXPECT_EQ(m.max_r, double{e.max_r});
  EXPECT_EQ(m.min_t, double{e.min_t});
  EXPECT_EQ(m.max_t, double{e.max_t});
  const auto n = static_cast<long double>(e.n);
  // Sums are judged relative to their terms: RMS for means, the sums of squares for second moments.
  const long double rms_r = std::sqrt(e.m2_r / n + e.mean_r * e.mean_r);
  const long double rms_t = std::sqrt(e.m2_t / n + e.mean_t * e.mean_t);
  expect_near(m.mean_r, e.mean_r, rms_r, tolerance, "mean_r");
  expect_near(m.mean_t, e.mean_t, rms_t, tolerance, "mean_t");
  expect_near(m.m2_r, e.m2_r, e.m2_r, tolerance, "m2_r");
  expect_near(m.m2_t, e.m2_t, e.m2_t, tolerance, "m2_t");
  expect_near(m.c_rt, e.c_rt, std::sqrt(e.m2_r * e.m2_t), tolerance, "c_rt");
  expect_near(m.sum_abs_d, e.abs_d, e.abs_d, tolerance, "sum_abs_d");
  expect_near(m.sum_sq_d, e.sq_d, e.sq_d, tolerance, "sum_sq_d");
}

// Channel of element i: i / inner % count.
void expect_channels(const std::vector<double>& got, const std::vector<float>& r,
                     const std::vector<float>& t, std::size_t count, std::size_t inner,
                     long double unrounded_unit = 0) {
  ASSERT_EQ(got.size(), count);
  std::vector<std::vector<float>> part_r(count), part_t(count);
  for (std::size_t i = 0; i < r.size(); ++i) {
    part_r[i / inner % count].push_back(r[i]);
    part_t[i / inner % count].push_back(t[i]);
  }
  for (std::size_t c = 0; c < count; ++c) {
    const long double want = exact(part_r[c], part_t[c], unrounded_unit).sq_d;
    expect_near(got[c], want, want, unrounded_unit > 0 ? 1e-14 : 1e-6, "channel");
  }
}

// A tensor whose values start at an odd address, as in a trace.
struct Unaligned {
  TensorSpec spec;
  Bytes storage;
  TensorView view() const { return {spec, {storage.data() + 1, storage.size() - 1}}; }
};

Unaligned unaligned(TensorSpec spec, const void* values) {
  Unaligned u{std::move(spec), {}};
  u.storage.resize(*u.spec.byte_size() + 1);
  if (u.storage.size() > 1) std::memcpy(u.storage.data() + 1, values, u.storage.size() - 1);
  return u;
}

Unaligned of_floats(const std::vector<float>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return unaligned({"f", DType::kFloat32, std::move(shape), {}}, values.data());
}

Unaligned random_tensor(DType dtype, Shape shape, std::mt19937& random) {
  const std::size_t n = *element_count(shape);
  if (dtype == DType::kFloat32) {
    std::normal_distribution<float> normal(0.3f, 2.f);
    std::vector<float> values(n);
    // clipped: equal values and ties occur
    for (float& v : values) v = std::max(-1.f, normal(random));
    return of_floats(values, shape);
  }
  std::vector<std::uint8_t> codes(n);
  for (auto& c : codes) c = static_cast<std::uint8_t>(random() >> 13);
  return unaligned(
      {"q", dtype, std::move(shape), {{0.0471f}, {dtype == DType::kInt8 ? -7 : 131}, 0}},
      codes.data());
}

// The unit of exact() for two tensors: not 0 where they are compared in codes.
long double unit(const Unaligned& r, const Unaligned& t) {
  const bool codes = r.spec.dtype == t.spec.dtype &&
                     (r.spec.dtype == DType::kInt8 || r.spec.dtype == DType::kUInt8) &&
                     r.spec.quantization.scale == t.spec.quantization.scale &&
                     r.spec.quantization.zero_point == t.spec.quantization.zero_point;
  return codes ? static_cast<long double>(
                     r.spec.quantization.scale.empty() ? 1.f : r.spec.quantization.scale[0])
               : 0;
}

constexpr DType kDirect[] = {DType::kFloat32, DType::kInt8, DType::kUInt8};

class EverySet : public testing::TestWithParam<const Kernels*> {};
INSTANTIATE_TEST_SUITE_P(Cpu, EverySet, testing::ValuesIn(available_kernels()),
                         [](const auto& set) { return std::string(set.param->name); });

TEST_P(EverySet, EqualsLongDoubleForAllDirectTypesAndLengths) {
  std::mt19937 random(1);
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= 70; ++n) lengths.push_back(n);
  for (const int n :
       {127, 128, 129, 511, 513, 1023, 2047, 2049, 4095, 4096, 4097, 4999, 5000, 8192, 12289})
    lengths.push_back(n);
  for (const DType r_type : kDirect)
    for (const DType t_type : kDirect)
      for (const std::int64_t n : lengths) {
        SCOPED_TRACE(std::string(name(r_type)) + "/" + name(t_type) + " " + std::to_string(n));
        const auto r = random_tensor(r_type, {n}, random), t = random_tensor(t_type, {n}, random);
        Moments m;
        ASSERT_TRUE(accumulate_with(*GetParam(), r.view(), t.view(), m));
        expect_equal(m, exact(*to_float(r.view()), *to_float(t.view()), unit(r, t)),
                     unit(r, t) > 0 ? 1e-14 : 5e-7);
        if (HasFailure()) return;
      }
}

TEST_P(EverySet, EveryLengthTo5000) {
  std::mt19937 random(2);
  const auto r = random_tensor(DType::kFloat32, {5000}, random),
             t = random_tensor(DType::kInt8, {5000}, random);
  const auto all_r = *to_float(r.view()), all_t = *to_float(t.view());
  for (std::size_t n = 0; n <= 5000; n += n < 300 ? 1 : 61) {
    const TensorSpec rs{"r", DType::kFloat32, {static_cast<std::int64_t>(n)}, {}};
    const TensorSpec ts{"t", DType::kInt8, {static_cast<std::int64_t>(n)}, t.spec.quantization};
    Moments m;
    ASSERT_TRUE(accumulate_with(*GetParam(), {rs, {r.storage.data() + 1, n * 4}},
                                {ts, {t.storage.data() + 1, n}}, m));
    const auto end = static_cast<std::ptrdiff_t>(n);
    expect_equal(
        m, exact({all_r.begin(), all_r.begin() + end}, {all_t.begin(), all_t.begin() + end}), 5e-7);
    if (HasFailure()) FAIL() << n;
  }
}

TEST_P(EverySet, KeepsTheVarianceOfAMeanOf1000AndAStdOf1) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(1000.f, 1.f), noise(0.f, 0.01f);
  std::vector<float> r(1 << 20), t(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) t[i] = (r[i] = normal(random)) + noise(random);
  const auto rt = of_floats(r, {1 << 17, 8}), tt = of_floats(t, {1 << 17, 8});
  Moments m;
  ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), m));
  expect_equal(m, exact(r, t), 2e-7);
  std::vector<double> channels;
  Moments again;
  ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), 1, again, channels));
  expect_equal(again, exact(r, t), 2e-7);
  expect_channels(channels, r, t, 8, 1);
}

TEST_P(EverySet, KeepsHeavyTails) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  std::vector<float> r(1 << 18), t(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = std::exp(8 * normal(random));
    t[i] = r[i] * (1 + 0.01f * normal(random));
  }
  r[0] = 1e9f;  // the first value is a bad estimate of the mean
  const auto rt = of_floats(r), tt = of_floats(t);
  Moments m;
  ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), m));
  expect_equal(m, exact(r, t), 1e-6);
}

TEST_P(EverySet, SurvivesSquaresThatOverflowOrUnderflowAFloat) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const float unit : {1e25f, 1e-25f, 1e-38f}) {
    std::vector<float> r(6000), t(6000);
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = unit * normal(random);
      t[i] = r[i] + unit * 0.1f * normal(random);
    }
    SCOPED_TRACE(unit);
    const auto rt = of_floats(r, {60, 100}), tt = of_floats(t, {60, 100});
    Moments m;
    ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), m));
    expect_equal(m, exact(r, t), 5e-7);
    std::vector<double> channels;
    Moments again;
    ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), 1, again, channels));
    expect_equal(again, exact(r, t), 5e-7);
    expect_channels(channels, r, t, 100, 1);
  }
}

TEST_P(EverySet, CountsNonFinitePairsAndLeavesThemOut) {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  for (const std::size_t n : {1u, 7u, 16u, 33u, 200u, 4097u, 9000u}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<float> r(n), t(n);
      for (std::size_t i = 0; i < n; ++i) t[i] = (r[i] = normal(random)) + 0.1f * normal(random);
      Moments want;
      for (int k = 0; k < 6; ++k) {
        const std::size_t at = random() % n;
        const float values[] = {kNan, kInf, -kInf, 3e38f, 1.f};
        r[at] = values[random() % 5];
        t[at] = values[random() % 5];
        if (r[at] == 3e38f && random() % 2) t[at] = -3e38f;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const bool finite = std::isfinite(r[i]) && std::isfinite(t[i]);
        want.nan_r += std::isnan(r[i]);
        want.nan_t += std::isnan(t[i]);
        want.inf_r += std::isinf(r[i]);
        want.inf_t += std::isinf(t[i]);
        want.overflow += finite && !std::isfinite(t[i] - r[i]);
        want.non_finite_mismatch +=
            !finite && !(r[i] == t[i] || (std::isnan(r[i]) && std::isnan(t[i])));
      }
      const auto check = [&](const Moments& m) {
        EXPECT_EQ(m.nan_r, want.nan_r);
        EXPECT_EQ(m.nan_t, want.nan_t);
        EXPECT_EQ(m.inf_r, want.inf_r);
        EXPECT_EQ(m.inf_t, want.inf_t);
        EXPECT_EQ(m.overflow, want.overflow);
        EXPECT_EQ(m.non_finite_mismatch, want.non_finite_mismatch);
        expect_equal(m, exact(r, t), 5e-7);
      };
      const auto rt = of_floats(r, {static_cast<std::int64_t>(n), 1}), tt = of_floats(t);
      Moments m;
      ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), m));
      check(m);
      for (const std::int64_t axis : {0, 1}) {
        std::vector<double> channels;
        Moments again;
        ASSERT_TRUE(accumulate_with(*GetParam(), rt.view(), tt.view(), static_cast<int>(axis),
                                    again, channels));
        check(again);
        expect_channels(channels, r, t, axis == 0 ? n : 1, 1);
      }
      if (HasFailure()) FAIL() << n << " trial " << trial;
    }
  }
}

TEST_P(EverySet, SquaresOfChannelsEqualTheChannelTakenOut) {
  std::mt19937 random(7);
  const std::vector<std::pair<Shape, int>> cases{{{1, 5, 7, 3}, 3},
                                                 {{1, 9, 9, 16}, 3},
                                                 {{2, 3, 3, 96}, 3},
                                                 {{1, 1, 1, 1001}, 3},
                                                 {{1, 40, 40, 5}, 3},
                                                 {{300, 70}, 1},
                                                 {{2, 6, 10, 12}, 1},
                                                 {{3, 4, 5}, 1},
                                                 {{3, 4, 5}, 0},
                                                 {{4, 2000}, 0},
                                                 {{7}, 0},
                                                 {{1, 33, 1}, 1},
                                                 {{1, 1, 2}, 2}};
  for (const DType r_type : kDirect)
    for (const DType t_type : kDirect)
      for (const auto& [shape, axis] : cases) {
        SCOPED_TRACE(to_text(shape) + " axis " + std::to_string(axis) + " " + name(r_type) + "/" +
                     name(t_type));
        const auto r = random_tensor(r_type, shape, random),
                   t = random_tensor(t_type, shape, random);
        std::vector<double> channels;
        Moments total;
        ASSERT_TRUE(accumulate_with(*GetParam(), r.view(), t.view(), axis, total, channels));
        std::size_t inner = 1;
        for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < shape.size(); ++d)
          inner *= static_cast<std::size_t>(shape[d]);
        const auto all_r = *to_float(r.view()), all_t = *to_float(t.view());
        const long double step = unit(r, t);
        expect_channels(channels, all_r, all_t,
                        static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]), inner,
                        step);
        expect_equal(total, exact(all_r, all_t, step), step > 0 ? 1e-14 : 1e-6);
        const std::vector<double> once = channels;
        ASSERT_TRUE(accumulate_with(*GetParam(), r.view(), t.view(), axis, total, channels));
        for (std::size_t c = 0; c < once.size(); ++c) EXPECT_DOUBLE_EQ(channels[c], 2 * once[c]);
        if (HasFailure()) return;
      }
}

// Codes at both ends, equal ones, and runs of one value: cases in which integer sums could overflow
// or lose bits.
TEST_P(EverySet, ComparesCodesOfOneQuantisationExactly) {
  std::mt19937 random(10);
  for (const DType dtype : {DType::kInt8, DType::kUInt8})
    for (const std::int64_t zero : {-128, -3, 128, 300})
      for (const std::int64_t n : {1, 31, 64, 1000, 16385, 40001})
        for (const int kind : {0, 1, 2, 3}) {
          SCOPED_TRACE(std::string(name(dtype)) + " zero " + std::to_string(zero) + " n " +
                       std::to_string(n) + " kind " + std::to_string(kind));
          const auto count = static_cast<std::size_t>(n);
          std::vector<std::uint8_t> codes_r(count), codes_t(count);
          for (std::size_t i = 0; i < count; ++i) {
            const auto code = static_cast<std::uint8_t>(random() >> 9);
            codes_r[i] = kind == 0   ? 0x80
                         : kind == 1 ? static_cast<std::uint8_t>(200 + random() % 2)
                                     : code;
            codes_t[i] =
                kind == 0 ? 0x7f
                          : static_cast<std::uint8_t>(codes_r[i] + (kind == 3 ? 0 : random() % 2));
          }
          const TensorSpec spec{"q", dtype, {n}, {{0.0471f}, {zero}, 0}};
          const auto r = unaligned(spec, codes_r.data()), t = unaligned(spec, codes_t.data());
          Moments m;
          ASSERT_TRUE(accumulate_with(*GetParam(), r.view(), t.view(), m));
          const Exact want = exact(*to_float(r.view()), *to_float(t.view()), unit(r, t));
          expect_equal(m, want, 1e-12);
          if (HasFailure()) return;
        }
}

TEST_P(EverySet, ComparesCodesOfTwoQuantisationsAsReals) {
  std::mt19937 random(11);
  for (const DType r_type : {DType::kInt8, DType::kUInt8})
    for (const DType t_type : {DType::kInt8, DType::kUInt8}) {
      auto r = random_tensor(r_type, {40, 40, 24}, random),
           t = random_tensor(t_type, {40, 40, 24}, random);
      t.spec.quantization = {{0.0391f}, {5}, 0};
      const auto all_r = *to_float(r.view()), all_t = *to_float(t.view());
      std::vector<double> channels;
      Moments m;
      ASSERT_TRUE(accumulate_with(*GetParam(), r.view(), t.view(), 2, m, channels));
      expect_equal(m, exact(all_r, all_t), 5e-7);
      expect_channels(channels, all_r, all_t, 24, 1);
    }
}

TEST_P(EverySet, FindsTheFirstOfEquallyLargeDifferences) {
  std::vector<float> r(10000, 1.f), t(10000, 1.f);
  t[9001] = t[5003] = t[5007] = 3.f;
  Moments m;
  ASSERT_TRUE(accumulate_with(*GetParam(), of_floats(r).view(), of_floats(t).view(), m));
  EXPECT_EQ(m.max_index, 5003u);
  std::vector<double> channels;
  Moments again;
  ASSERT_TRUE(accumulate_with(*GetParam(), of_floats(r, {5000, 2}).view(), of_floats(t).view(), 1,
                              again, channels));
  EXPECT_EQ(again.max_index, 5003u);
  EXPECT_EQ(channels, (std::vector<double>{0, 12}));
  for (const DType dtype : {DType::kInt8, DType::kUInt8}) {
    std::vector<std::uint8_t> codes(20001, 5), other = codes;
    other[19007] = other[17003] = other[17007] = 2;
    Moments in_codes;
    const TensorSpec spec{"q", dtype, {20001}, {{0.5f}, {0}, 0}};
    ASSERT_TRUE(accumulate_with(*GetParam(), unaligned(spec, codes.data()).view(),
                                unaligned(spec, other.data()).view(), in_codes));
    EXPECT_EQ(in_codes.max_index, 17003u);
    EXPECT_EQ(in_codes.max_abs_d, 1.5);
  }
}

TEST(Metrics, MergedPartsEqualTheWhole) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t n = 1 + random() % 20000, cut = random() % (n + 1);
    std::normal_distribution<float> normal(5.f, 3.f);
    std::vector<float> r(n), t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = (r[i] = normal(random)) + normal(random);
    if (trial % 3 == 0) r[random() % n] = kNan;
    const auto at = static_cast<std::ptrdiff_t>(cut);
    Moments whole, left, right;
    ASSERT_TRUE(accumulate(of_floats(r).view(), of_floats(t).view(), whole));
    const std::vector<float> r1(r.begin(), r.begin() + at), r2(r.begin() + at, r.end());
    const std::vector<float> t1(t.begin(), t.begin() + at), t2(t.begin() + at, t.end());
    ASSERT_TRUE(accumulate(of_floats(r1).view(), of_floats(t1).view(), left));
    ASSERT_TRUE(accumulate(of_floats(r2).view(), of_floats(t2).view(), right));
    if (right.max_abs_d > left.max_abs_d) right.max_index += cut;
    left.merge(right);
    expect_equal(left, exact(r, t), 5e-7);
    EXPECT_EQ(left.nan_r, whole.nan_r);
    EXPECT_EQ(left.max_index, whole.max_index);
  }
}

TEST(Metrics, ReadsEveryDTypeAsToFloatDoes) {
  std::mt19937 random(9);
  std::vector<std::uint64_t> noise(5000);
  for (auto& word : noise)
    word = random() % 97 | (random() % 97) << 8 | (random() % 89) << 16 |
           std::uint64_t{random() % 55} << 24;
  for (int d = 0; d < static_cast<int>(DType::kOther); ++d) {
    const auto dtype = static_cast<DType>(d);
    if (is_float(dtype) && dtype != DType::kFloat32) continue;  // random bits: covered below
    for (const bool per_channel : {false, true}) {
      SCOPED_TRACE(name(dtype));
      TensorSpec spec{"x", dtype, {41, 3, 37}, {}};
      if (is_integer(dtype))
        spec.quantization = per_channel ? Quantization{{0.5f, 0.25f, 0.125f}, {3, -4, 5}, 1}
                                        : Quantization{{0.5f}, {3}, 0};
      const auto t = unaligned(spec, noise.data());
      const auto values = *to_float(t.view());
      std::vector<float> r(values.size(), 0.75f);
      Moments m;
      ASSERT_TRUE(accumulate(of_floats(r).view(), t.view(), m));
      expect_equal(m, exact(r, values), 1e-6);
      std::vector<double> channels;
      Moments again;
      ASSERT_TRUE(accumulate(t.view(), of_floats(r).view(), 2, again, channels));
      expect_equal(again, exact(values, r), 1e-6);
      expect_channels(channels, values, r, 37, 1);
    }
  }
}

TEST(Metrics, ReadsHalvesAndDoubles) {
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7c00};  // 1, -2, 2^-24, inf
  const double doubles[] = {1.5, -2, 0, 4};
  Moments m;
  ASSERT_TRUE(accumulate(unaligned({"h", DType::kFloat16, {4}, {}}, halves).view(),
                         unaligned({"d", DType::kFloat64, {4}, {}}, doubles).view(), m));
  EXPECT_EQ(m.n, 3u);
  EXPECT_EQ(m.inf_r, 1u);
  EXPECT_EQ(m.non_finite_mismatch, 1u);
  EXPECT_EQ(m.max_abs_d, 0.5);
  EXPECT_EQ(m.equal, 1u);
}

TEST(Metrics, RefusesWhatCannotBeCompared) {
  Moments m;
  std::vector<double> channels;
  const auto three = of_floats({1, 2, 3}), four = of_floats({1, 2, 3, 4});
  EXPECT_EQ(accumulate(three.view(), four.view(), m).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(accumulate(three.view(), three.view(), 1, m, channels).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(accumulate(three.view(), three.view(), -1, m, channels).error().kind,
            ErrorKind::kUsage);
  channels.resize(5);
  EXPECT_EQ(accumulate(three.view(), three.view(), 0, m, channels).error().kind, ErrorKind::kUsage);
  const TensorSpec text{"s", DType::kOther, {3}, {}}, open{"o", DType::kFloat32, {-1}, {}};
  EXPECT_EQ(accumulate({text, {}}, three.view(), m).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(accumulate(three.view(), {open, {}}, m).error().kind, ErrorKind::kUnsupported);
  auto cut = three.view();
  cut.bytes.size -= 1;
  EXPECT_EQ(accumulate(cut, three.view(), m).error().kind, ErrorKind::kCorrupt);
  auto channelled = unaligned({"q", DType::kInt8, {3}, {{1, 2}, {0}, 0}}, "abc");
  EXPECT_EQ(accumulate(channelled.view(), three.view(), m).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(m.n, 0u);
}

TEST(Distances, AreTheTextbookNumbers) {
  // r = 3 4 0 1, t = 3 4 0 2: d = 0 0 0 1, sum r^2 = 26, sum d^2 = 1, mean r = 2, m2_r = 10.
  Moments m;
  ASSERT_TRUE(accumulate(of_floats({3, 4, 0, 1}).view(), of_floats({3, 4, 0, 2}).view(), m));
  const Distances d = distances(m);
  EXPECT_FALSE(d.exact);
  EXPECT_DOUBLE_EQ(*d.rmse, 0.5);
  EXPECT_DOUBLE_EQ(*d.mae, 0.25);
  EXPECT_DOUBLE_EQ(*d.max_abs, 1);
  EXPECT_DOUBLE_EQ(*d.rmse_over_range, 0.125);  // range 4
  EXPECT_DOUBLE_EQ(*d.snr_db, 10 * std::log10(26.0));
  EXPECT_DOUBLE_EQ(*d.psnr_db, 20 * std::log10(8.0));  // 4 / 0.5
  EXPECT_DOUBLE_EQ(*d.nse_error, 0.1);                 // 1 / 10
  EXPECT_DOUBLE_EQ(*d.relative_l2, std::sqrt(1.0 / 26));
  EXPECT_DOUBLE_EQ(*d.cosine, 27 / (std::sqrt(26.0) * std::sqrt(29.0)));
  EXPECT_DOUBLE_EQ(*d.gain, 0.9);  // c_rt = 27 - 4*2*2.25 = 9; 9 / 10
  EXPECT_DOUBLE_EQ(*d.offset, 2.25 - 0.9 * 2);
  EXPECT_DOUBLE_EQ(*d.pearson, 9 / std::sqrt(10 * 8.75));  // m2_t = 29 - 4*2.25^2
  EXPECT_EQ(m.max_index, 3u);
}

TEST(Distances, AreNeverInfiniteOrNan) {
  const auto all = [](const Distances& d) {
    return std::vector<std::optional<double>>{
        d.rmse,   d.mae,     d.max_abs,   d.rmse_over_range, d.snr_db, d.psnr_db,
        d.cosine, d.pearson, d.nse_error, d.relative_l2,     d.gain,   d.offset};
  };
  const std::vector<float> values[] = {
      {0, 0, 0},    {1, 1, 1},          {1, 2, 3},      {kNan, kNan, kNan},
      {kInf, 1, 2}, {3e38f, -3e38f, 0}, {1e-45f, 0, 0}, {}};
  for (const auto& r : values)
    for (const auto& t : values) {
      if (r.size() != t.size()) continue;
      Moments m;
      ASSERT_TRUE(accumulate(of_floats(r, {static_cast<std::int64_t>(r.size())}).view(),
                             of_floats(t, {static_cast<std::int64_t>(t.size())}).view(), m));
      for (const auto& value : all(distances(m))) {
        EXPECT_TRUE(!value || std::isfinite(*value));
      }
    }
  EXPECT_FALSE(distances({}).exact);
  Moments same;
  ASSERT_TRUE(
      accumulate(of_floats({kNan, kInf, 2}).view(), of_floats({kNan, kInf, 2}).view(), same));
  EXPECT_TRUE(distances(same).exact);
  EXPECT_FALSE(distances(same).snr_db);
  Moments other;
  ASSERT_TRUE(accumulate(of_floats({kInf, 2}).view(), of_floats({-kInf, 2}).view(), other));
  EXPECT_FALSE(distances(other).exact);
}

}  // namespace
}  // namespace edgeprobe::compare
