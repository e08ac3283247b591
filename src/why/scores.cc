// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "why/outputs.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;

/// A function of each row that yields the other side.
using Make = double (*)(double value, double most, double sum);
struct Made {
  Make make;
  const char* words;
};
constexpr Made kMade[] = {
    {[](double v, double, double) { return 1 / (1 + std::exp(-v)); },
     "is the logistic function (sigmoid) of the reference's"},
    {[](double v, double most, double sum) { return std::exp(v - most) / sum; },
     "is the softmax of the reference's"},
    {[](double v, double most, double sum) { return v - most - std::log(sum); },
     "is the logarithm of the softmax of the reference's"},
    {[](double v, double, double) { return std::log(v); }, "is the logarithm of the reference's"},
};

std::optional<Answer> by_function(const Sides& sides) {
  const std::size_t length = row_length(sides.reference.spec.shape);
  const std::vector<float>&fed = sides.fed, &wanted = sides.wanted();
  if (length < 2 || fed.size() < kFewestScores || !is_float(sides.app.spec.dtype))
    return std::nullopt;
  double reach = 0;
  for (const float v : fed) reach = std::max(reach, std::abs(double(v)));
  const auto [low, high] = std::minmax_element(fed.begin(), fed.end());
  const double spread = double(*high) - double(*low);
  // Near 0.5, or for as many classes as scores of 0.001, all values are alike: noise fits too.
  const double slack = std::max(1e-6 * reach, 2e-5 * spread);
  if (!(spread > 50 * slack)) return std::nullopt;
  std::vector<const Made*> found;
  for (const Made& one : kMade) {
    bool holds = true, differed = false;
    for (std::size_t row = 0; holds && row + length <= fed.size(); row += length) {
      double most = -1e300, sum = 0;
      for (std::size_t k = 0; k < length; ++k) most = std::max(most, double(wanted[row + k]));
      for (std::size_t k = 0; k < length; ++k) sum += std::exp(double(wanted[row + k]) - most);
      for (std::size_t k = row; holds && k < row + length; ++k) {
        const double made = one.make(double(wanted[k]), most, sum);
        holds = std::abs(made - double(fed[k])) <= slack;
        differed = differed || std::abs(double(wanted[k]) - double(fed[k])) > 20 * slack;
      }
    }
    if (holds && differed) found.push_back(&one);
  }
  if (found.empty()) return std::nullopt;
  Answer out =
      named(CauseKind::kPostprocessing, std::string("the app's tensor ") + found.front()->words,
            {1, 1, 0, "rounding of its type"});
  for (std::size_t k = 1; k < found.size(); ++k)
    out.causes.front().alternatives.push_back(std::string("the app's tensor ") + found[k]->words);
  if (found.size() > 1) out.outcome = diagnose::Outcome::kUndecided;
  return out;
}

}  // namespace

std::optional<Answer> by_scores(const Sides& sides) {
  if (sides.picture) return std::nullopt;
  if (auto out = by_function(sides)) return out;
  auto out = by_function(exchanged(sides));
  if (out) exchange_words(*out);
  return out;
}

}  // namespace edgeprobe::why
