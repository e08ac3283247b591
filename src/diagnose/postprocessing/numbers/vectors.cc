// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/numbers/vectors.h"

#include <algorithm>
#include <cmath>

#include "postprocess/embedding/vector.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using postprocess::embedding::Bits;

// Relative difference of equal vectors: float32 sums of several hundred rows against float64.
constexpr double kSameVector = 1e-4, kSameDirection = 1e-7;
// 8-bit codes do not count as decimals.
constexpr double kCoarsestVector = 0.1;
// Up to this distance from the middle of two codes, either one is right.
constexpr double kTie = 1e-3;
// Evidence of one frame: a direction is one fact, regardless of its number of values.
constexpr double kBitsOfFrame = 44;

// Tolerance for an 8-bit code that may be off by one.
double tie_slack(Bits bits, double value) {
  if (bits == Bits::kNone) return 0;
  const double code = 127 * value;
  const bool is_tie = std::fabs(std::fabs(code - std::floor(code)) - 0.5) <= kTie;
  return !is_tie ? 0 : bits == Bits::kCodes ? 1 : 1.0 / 127;
}

double size_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double x : values) squares += x * x;
  return std::sqrt(squares);
}

// 1 - cosine.
double angle(const std::vector<double>& a, const std::vector<double>& b) {
  double both = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both += a[i] * b[i];
  return 1 - both / (size_of(a) * size_of(b) + 1e-300);
}

}  // namespace

Vectors::Vectors(std::span<const RecordedFrame> frames, const Recipe& reference)
    : frames_(frames), reference_(reference) {
  std::vector<double> all;
  for (const RecordedFrame& frame : frames) {
    observed_.emplace_back(frame.answer.vector->begin(), frame.answer.vector->end());
    sizes_.push_back(size_of(observed_.back()));
    all.insert(all.end(), observed_.back().begin(), observed_.back().end());
  }
  precision_ = precision_of(all, kCoarsestVector);
}

const Vectors::Pooled& Vectors::pooled(const Recipe& recipe, std::size_t frame) {
  const Key key{recipe.output, recipe.reading, recipe.pool, recipe.rows, recipe.mask, frame};
  const auto [at, is_new] = pooled_.try_emplace(key);
  if (!is_new) return at->second;
  const RecordedFrame& given = frames_[frame];
  const std::vector<TensorView> inputs(given.inputs.begin(), given.inputs.end()),
      outputs(given.outputs.begin(), given.outputs.end());
  auto rows = postprocess::embedding::pooled(recipe, inputs, outputs);
  if (rows) at->second.values = *std::move(rows);
  else at->second.error = rows.error().what;
  return at->second;
}

std::string Vectors::why_not() {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (const std::string& error = pooled(reference_, i).error; !error.empty()) return error;
  return "";
}

Vectors::Said Vectors::said(const Recipe& recipe, std::size_t frame) {
  const Pooled& rows = pooled(recipe, frame);
  if (!rows.error.empty()) return {};
  Said out{true, rows.values};
  postprocess::embedding::normalize(recipe, out.values);
  return out;
}

double Vectors::difference(const Recipe& recipe, const Said& said, std::size_t frame) const {
  const std::vector<double>& seen = observed_[frame];
  double squares = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double value = said.values[i];
    if (std::isnan(value) && std::isnan(seen[i])) continue;
    const double off = std::fabs(postprocess::embedding::rounded(recipe.bits, value) - seen[i]) -
                       precision_.slack(seen[i]) - tie_slack(recipe.bits, value);
    if (std::isnan(off)) return HUGE_VAL;
    if (off > 0) squares += off * off;
  }
  const double size = std::isfinite(sizes_[frame]) ? sizes_[frame] : 1;
  return std::sqrt(squares) / std::max(size, 1e-30);
}

double Vectors::distance(const Recipe& recipe, std::size_t frame) {
  const Said one = said(recipe, frame);
  if (!one.fits) return 3;
  if (one.values.size() != observed_[frame].size()) return 2.5;
  const double off = difference(recipe, one, frame);
  if (off <= kSameVector) return 0;
  const double turned = angle(one.values, observed_[frame]);
  const double direction = turned <= kSameDirection ? 0 : std::min(1.0, 0.05 + turned);
  return std::min(1.0, 0.05 + off) + (std::isnan(turned) ? 1 : direction);
}

double Vectors::bits(const Recipe& with_it, const Recipe& without_it,
                     const search::Change<Recipe>& change, std::span<const std::size_t> frames) {
  Factors factors;
  std::vector<std::size_t> counted;
  double bits = 0;
  for (const std::size_t frame : frames) {
    const Said with = said(with_it, frame), without = said(without_it, frame);
    const std::vector<double>& seen = observed_[frame];
    if (!with.fits || with.values.size() != seen.size() || sizes_[frame] == 0) continue;
    const bool is_comparable = without.fits && without.values.size() == seen.size();
    double slack = 0;
    for (const double value : seen) slack += std::pow(precision_.slack(value), 2);
    const double precision =
        2 * difference(with_it, with, frame) + std::sqrt(slack) / sizes_[frame];
    if (is_comparable && with_it.bits == without_it.bits &&
        angle(without.values, with.values) <= kSameDirection) {
      factors.add(size_of(without.values) / size_of(with.values), precision);
      continue;
    }
    if (std::any_of(counted.begin(), counted.end(), [&](std::size_t other) {
          return observed_[other].size() == seen.size() && angle(observed_[other], seen) < 1e-6;
        }))
      continue;
    counted.push_back(frame);
    double largest = 0, of_frame = 0;
    for (const double value : seen) largest = std::max(largest, std::fabs(value));
    const double usual = kSameVector * sizes_[frame] / std::sqrt(static_cast<double>(seen.size()));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double tolerance = precision_.slack(seen[i]) + usual;
      if (is_comparable &&
          std::fabs(postprocess::embedding::rounded(without_it.bits, without.values[i]) -
                    seen[i]) <= 2 * tolerance)
        continue;
      of_frame += search::bits_of_number(largest, tolerance);
    }
    bits += std::min(of_frame, kBitsOfFrame);
  }
  return bits + factors.bits() - change.free_bits;
}

}  // namespace edgeprobe::diagnose::numbers
