// SPDX-License-Identifier: Apache-2.0
#include "compare/align/moved_channels.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace edgeprobe::compare {
namespace {

// Largest squared residual relative to the target: rounding both sides to 8 bits stays below it.
constexpr double kLeft = 2e-4;
// With fewer values per factor, anything fits.
constexpr std::size_t kLeastForAFactor = 3;

class Blocks {
 public:
  Blocks(const ChannelBlocks& of, const std::vector<float>& reference,
         const std::vector<float>& target)
      : of_(of), r_(reference), t_(target) {}

  // Fits factors of outputs and inputs alternately, each the best given the others.
  bool are_scaled() const {
    const std::size_t factors = of_.outputs + of_.inputs;
    if (of_.outputs * of_.inputs * of_.elements < kLeastForAFactor * factors) return false;
    std::vector<double> a(of_.outputs, 1), b(of_.inputs, 1), rr(of_.outputs * of_.inputs),
        rt(rr.size());
    double tt = 0;
    for (std::size_t o = 0; o < of_.outputs; ++o)
      for (std::size_t i = 0; i < of_.inputs; ++i)
        for (std::size_t e = 0; e < of_.elements; ++e) {
          const double r = value(r_, o, i, e), t = value(t_, o, i, e);
          rr[o * of_.inputs + i] += r * r;
          rt[o * of_.inputs + i] += r * t;
          tt += t * t;
        }
    // The best factors of one side, given those of the other.
    const auto refit = [&](std::vector<double>& own, std::size_t step,
                           const std::vector<double>& others, std::size_t other_step) {
      for (std::size_t k = 0; k < own.size(); ++k) {
        double over = 0, under = 0;
        for (std::size_t j = 0; j < others.size(); ++j) {
          const std::size_t at = k * step + j * other_step;
          over += others[j] * rt[at];
          under += others[j] * others[j] * rr[at];
        }
        own[k] = under > 0 ? over / under : 1;
      }
    };
    constexpr int kRounds = 30;
    for (int round = 0; round < kRounds; ++round) {
      refit(a, of_.inputs, b, 1);
      refit(b, 1, a, of_.inputs);
    }
    double fitted = 0;
    for (std::size_t o = 0; o < of_.outputs; ++o)
      for (std::size_t i = 0; i < of_.inputs; ++i)
        fitted += 2 * a[o] * b[i] * rt[o * of_.inputs + i] -
                  a[o] * a[o] * b[i] * b[i] * rr[o * of_.inputs + i];
    // True if all have the same sign, as two negative factors cancel.
    const auto positive = [](const std::vector<double>& all, double sign) {
      return std::all_of(all.begin(), all.end(), [&](double one) { return one * sign > 0; });
    };
    return tt > 0 && tt - fitted <= kLeft * tt &&
           ((positive(a, 1) && positive(b, 1)) || (positive(a, -1) && positive(b, -1)));
  }

  // True if each output, and each input, has the values of another one.
  bool are_reordered() const {
    constexpr double kMostWork = 2e8;
    const double size = double(of_.outputs) * double(of_.inputs) * double(of_.elements);
    if (size * double(std::max(of_.outputs, of_.inputs)) > kMostWork) return false;
    return match(true) && (of_.inputs == 1 || match(false));
  }

 private:
  double value(const std::vector<float>& of, std::size_t o, std::size_t i, std::size_t e) const {
    return double{of[o * of_.output_stride + i * of_.input_stride + e * of_.element_stride]};
  }

  std::vector<std::vector<double>> sorted(const std::vector<float>& of, bool by_output) const {
    std::vector<std::vector<double>> rows(by_output ? of_.outputs : of_.inputs);
    for (std::size_t o = 0; o < of_.outputs; ++o)
      for (std::size_t i = 0; i < of_.inputs; ++i)
        for (std::size_t e = 0; e < of_.elements; ++e)
          rows[by_output ? o : i].push_back(value(of, o, i, e));
    for (auto& row : rows) std::sort(row.begin(), row.end());
    return rows;
  }

  bool match(bool by_output) const {
    constexpr double kFarLess = 9;
    const auto of_r = sorted(r_, by_output), of_t = sorted(t_, by_output);
    if (of_r.empty() || of_r.front().size() < kLeastForAFactor) return false;
    std::set<std::size_t> taken;
    for (const std::vector<double>& row : of_t) {
      double least = HUGE_VAL, next = HUGE_VAL, norm = 0;
      std::size_t nearest = 0;
      for (const double one : row) norm += one * one;
      for (std::size_t k = 0; k < of_r.size(); ++k) {
        double apart = 0;
        for (std::size_t v = 0; v < row.size(); ++v)
          apart += (row[v] - of_r[k][v]) * (row[v] - of_r[k][v]);
        if (apart < least) {
          next = least, least = apart;
          nearest = k;
        } else {
          next = std::min(next, apart);
        }
      }
      if (least > kLeft * norm || next < kFarLess * least || !taken.insert(nearest).second)
        return false;
    }
    return true;
  }

  const ChannelBlocks& of_;
  const std::vector<float>&r_, &t_;
};

}  // namespace

bool are_moved_channels(const ChannelBlocks& blocks, const std::vector<float>& reference,
                        const std::vector<float>& target) {
  const Blocks both(blocks, reference, target);
  return both.are_scaled() || both.are_reordered();
}

}  // namespace edgeprobe::compare
