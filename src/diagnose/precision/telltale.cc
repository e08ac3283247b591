// SPDX-License-Identifier: Apache-2.0
#include "diagnose/precision/telltale.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/evenly_spaced.h"
#include "precision/fit.h"
#include "precision/operators.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 3;
// Codes of 8 bits with one scale have fewer distinct values, and may be bfloat16 numbers too.
constexpr std::size_t kLeastDistinct = 300;

bool is_number_of(precision::Scheme scheme, float value) {
  return !std::isfinite(value) || precision::rounded(scheme, value) == value;
}

Result<Stored> stored_of(const trace::Reader& reader, const Control& control) {
  Stored found;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kLayer ||
        channel.channel.spec.dtype != DType::kFloat32)
      continue;
    if (control.stopped()) return interrupted();
    bool float16 = true, bfloat16 = true;
    std::set<float> distinct;
    for (std::size_t f = 0; f < reader.frames().size() && f < kFrames; ++f) {
      EP_TRY(const auto tensor, reader.read(reader.frames()[f], channel.id));
      if (!tensor) continue;
      EP_TRY(const auto values, to_float(*tensor));
      for (const float value : values) {
        float16 = float16 && is_number_of(precision::Scheme::kFloat16, value);
        bfloat16 = bfloat16 && is_number_of(precision::Scheme::kBFloat16, value);
        if (distinct.size() < kLeastDistinct && std::isfinite(value)) distinct.insert(value);
      }
    }
    if (distinct.size() < kLeastDistinct) continue;
    ++found.layers;
    if (!float16 && !bfloat16) continue;
    if (found.first.empty()) found.first = channel.channel.spec.name;
    ++(bfloat16 ? found.bfloat16 : found.float16);
  }
  return found;
}

// Rounded operands change sums by 1e-4 and more; another order of the terms by 1e-6 to 1e-5.
constexpr double kOffByOperands = 2e-5;
constexpr std::size_t kLeastOff = 2, kSampled = 8;

}  // namespace

Result<std::optional<Telltale>> stored_telltale(const Case& known, const Control& control) {
  EP_TRY(const auto target, stored_of(*known.target, control));
  const std::size_t narrow = target.float16 + target.bfloat16;
  // Only a quarter is required: engines keep sums, and operators that join branches, in float32.
  if (narrow < 2 || narrow * 4 < target.layers) return std::optional<Telltale>{};
  EP_TRY(const auto reference, stored_of(*known.reference, control));
  if ((reference.float16 + reference.bfloat16) * 4 >= reference.layers && reference.layers > 0)
    return std::optional<Telltale>{};
  return std::optional(Telltale{target.bfloat16 >= target.float16 ? precision::Scheme::kBFloat16
                                                                  : precision::Scheme::kFloat16,
                                narrow, target, reference.layers > 0});
}

std::optional<bool> judged_products_are_off(const layers::Analysis& analysis) {
  std::size_t judged = 0, off = 0;
  for (const layers::Row& row : analysis.rows) {
    if (!row.kernel_error || row.kernel_error->integer || !precision::multiplies(row.type))
      continue;
    ++judged;
    off += row.kernel_error->relative_l2 > kOffByOperands;
  }
  return judged == 0 ? std::optional<bool>{} : off >= kLeastOff;
}

Result<bool> products_are_off(Recording& recorded, const Control& control) {
  if (recorded.frames.empty()) return false;
  const std::vector<std::size_t> all =
      precision::recorded_products(*recorded.runner, recorded.frames.front());
  std::vector<std::size_t> some;
  for (const std::size_t i : evenly_spaced(all.size(), kSampled)) some.push_back(all[i]);
  if (some.size() < kLeastOff) return false;
  EP_TRY(auto fits, precision::fits(*recorded.runner, {recorded.frames.front()},
                                    {precision::Scheme::kTf32}, some, control));
  const std::vector<precision::StepFit>& steps = fits.front().steps;
  return static_cast<std::size_t>(std::count_if(
             steps.begin(), steps.end(),
             [](const precision::StepFit& s) { return s.seen > kOffByOperands; })) >= kLeastOff;
}

}  // namespace edgeprobe::diagnose
