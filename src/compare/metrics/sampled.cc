// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/sampled.h"

#include <algorithm>
#include <cmath>

#include "compare/align/layout.h"

namespace edgeprobe::compare {
namespace {

constexpr std::size_t kMost = 4096;

// A Weyl sequence: evenly scattered and, unlike a fixed stride, never in step with the channels.
std::size_t place(std::size_t k, std::size_t elements) {
  if (elements <= kMost) return k;
  const std::uint64_t fraction = (k + 1) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(static_cast<double>(fraction >> 11) * 0x1p-53 *
                                  static_cast<double>(elements));
}

}  // namespace

const SampledFrame::Values& SampledFrame::values(std::size_t side,
                                                 const trace::ReadChannel& channel,
                                                 const std::vector<int>& permutation) {
  const auto [at, fresh] = known_.try_emplace({side, channel.id, permutation});
  Values& found = at->second;
  if (!fresh) return found;
  const auto tensor = sides_[side]->read(frames_[side], channel.id);
  if (!tensor || !*tensor) return found;
  std::vector<float> all;
  if (permutation.empty()) {
    auto plain = to_float(**tensor);
    if (!plain) return found;
    all = *std::move(plain);
  } else {
    const auto moved = transposed(**tensor, permutation);
    if (!moved) return found;
    auto plain = to_float(*moved);
    if (!plain) return found;
    all = *std::move(plain);
  }
  found.elements = all.size();
  for (std::size_t k = 0; k < std::min(kMost, all.size()); ++k)
    found.values.push_back(all[place(k, all.size())]);
  return found;
}

std::optional<double> SampledFrame::correlation(const trace::ReadChannel& reference,
                                                const trace::ReadChannel& target,
                                                const std::vector<int>& permutation) {
  const Values& r = values(0, reference, {});
  const Values& t = values(1, target, permutation);
  if (r.elements == 0 || r.elements != t.elements) return std::nullopt;
  double n = 0, mean_r = 0, mean_t = 0;
  for (std::size_t k = 0; k < r.values.size(); ++k) {
    if (!std::isfinite(r.values[k]) || !std::isfinite(t.values[k])) continue;
    n += 1;
    mean_r += double(r.values[k]);
    mean_t += double(t.values[k]);
  }
  if (n < 2) return std::nullopt;
  mean_r /= n;
  mean_t /= n;
  double rr = 0, tt = 0, rt = 0;
  for (std::size_t k = 0; k < r.values.size(); ++k) {
    if (!std::isfinite(r.values[k]) || !std::isfinite(t.values[k])) continue;
    const double a = double(r.values[k]) - mean_r, b = double(t.values[k]) - mean_t;
    rr += a * a;
    tt += b * b;
    rt += a * b;
  }
  if (rr <= 0 || tt <= 0) return std::nullopt;
  return std::clamp(rt / std::sqrt(rr * tt), -1.0, 1.0);
}

}  // namespace edgeprobe::compare
