// SPDX-License-Identifier: Apache-2.0
#include "task/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgeprobe::task {

std::vector<int> top_k(const std::vector<float>& values, std::size_t k) {
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  k = std::min(k, order.size());
  const auto before = [&](int a, int b) {
    const float x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
    return x == y ? a < b : x > y;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    before);
  order.resize(k);
  return order;
}

int top_1(const std::vector<float>& values) {
  const std::vector<int> best = top_k(values, 1);
  return best.empty() || std::isnan(values[static_cast<std::size_t>(best[0])]) ? -1 : best[0];
}

std::optional<std::size_t> class_output(const std::vector<TensorSpec>& outputs) {
  for (std::size_t i = outputs.size(); i-- > 0;) {
    const TensorSpec& spec = outputs[i];
    if (size_of(spec.dtype) == 0 || spec.dtype == DType::kBool || spec.shape.empty()) continue;
    int wide = 0;
    for (std::size_t d = 0; d < spec.shape.size(); ++d) {
      const bool one =
          spec.shape[d] == 1 || (d == 0 && spec.shape[d] == -1 && spec.shape.size() > 1);
      if (!one) wide += spec.shape[d] >= 2 ? 1 : 2;  // empty or open: not a class axis
    }
    if (wide == 1) return i;
  }
  return std::nullopt;
}

bool is_among(const std::vector<float>& values, std::size_t k, const Annotation& annotation) {
  if (top_1(values) < 0) return false;
  const std::vector<int> best = top_k(values, k);
  for (const int accepted : classes_of(annotation))
    if (std::find(best.begin(), best.end(), accepted) != best.end()) return true;
  return false;
}

bool are_probabilities(const std::vector<float>& values, double step) {
  if (values.size() < 2) return false;
  const double slack = std::max(1e-3, step);
  double sum = 0;
  for (const float value : values) {
    if (!(value >= -slack && value <= 1 + slack)) return false;
    sum += value;
  }
  return std::fabs(sum - 1) <= std::max(0.01, static_cast<double>(values.size()) * step / 2);
}

double margin(const std::vector<float>& values) {
  const std::vector<int> best = top_k(values, 2);
  if (best.size() < 2) return 0;
  return double{values[static_cast<std::size_t>(best[0])]} -
         double{values[static_cast<std::size_t>(best[1])]};
}

}  // namespace edgeprobe::task
