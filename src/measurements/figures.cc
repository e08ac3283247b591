// SPDX-License-Identifier: Apache-2.0
#include "measurements/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/quantile.h"

namespace edgeprobe::measurements {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> mean_if_any(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

/// Row sums, column sums and the diagonal of a confusion matrix.
struct Sums {
  std::vector<double> there, answered, right;
};
Sums sums_of(const Classification& of) {
  Sums sums{std::vector<double>(of.classes), std::vector<double>(of.classes),
            std::vector<double>(of.classes)};
  for (std::size_t row = 0; row < of.classes; ++row)
    for (std::size_t column = 0; column < of.classes; ++column) {
      const double count = of.confusion[row * of.classes + column];
      sums.there[row] += count;
      sums.answered[column] += count;
      if (row == column) sums.right[row] = count;
    }
  return sums;
}

}  // namespace

std::optional<Spread> spread_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  Spread spread;
  spread.count = values.size();
  spread.mean = mean(sorted);
  double squares = 0;
  for (const double value : sorted) squares += (value - spread.mean) * (value - spread.mean);
  spread.std = std::sqrt(squares / static_cast<double>(sorted.size()));
  spread.min = sorted.front();
  spread.max = sorted.back();
  spread.median = stats::quantile(sorted, 0.5);
  spread.p90 = stats::quantile(sorted, 0.9);
  spread.p99 = stats::quantile(sorted, 0.99);
  return spread;
}

std::vector<double> mean_cpu(const Machine& machine) {
  std::vector<double> means;
  for (const std::vector<double>& cpus : machine.cpu_percent)
    means.push_back(cpus.empty() ? 0 : mean(cpus));
  return means;
}

std::vector<std::optional<double>> recalls(const Classification& of) {
  const Sums sums = sums_of(of);
  std::vector<std::optional<double>> values(of.classes);
  for (std::size_t i = 0; i < of.classes; ++i)
    if (sums.there[i] > 0) values[i] = sums.right[i] / sums.there[i];
  return values;
}

std::vector<std::optional<double>> precisions(const Classification& of) {
  const Sums sums = sums_of(of);
  std::vector<std::optional<double>> values(of.classes);
  for (std::size_t i = 0; i < of.classes; ++i)
    if (sums.there[i] > 0 || sums.answered[i] > 0)
      values[i] = sums.answered[i] > 0 ? sums.right[i] / sums.answered[i] : 0;
  return values;
}

std::vector<std::optional<double>> f1s(const Classification& of) {
  const Sums sums = sums_of(of);
  std::vector<std::optional<double>> values(of.classes);
  for (std::size_t i = 0; i < of.classes; ++i)
    if (const double both = sums.there[i] + sums.answered[i]; both > 0)
      values[i] = 2 * sums.right[i] / both;
  return values;
}

std::vector<double> frames_by_class(const Classification& of) { return sums_of(of).there; }

Quality quality_of(const Classification& of) {
  const Sums sums = sums_of(of);
  Quality quality;
  quality.classes = of.classes;
  std::vector<double> precision, recall, f1;
  double logarithms = 0;
  for (std::size_t i = 0; i < of.classes; ++i) {
    if (sums.there[i] > 0) {
      recall.push_back(sums.right[i] / sums.there[i]);
      logarithms += std::log(recall.back());  // -inf if a class is never correct.
    } else {
      ++quality.absent;
    }
    const double both = sums.there[i] + sums.answered[i];
    if (!(both > 0)) continue;
    precision.push_back(sums.answered[i] > 0 ? sums.right[i] / sums.answered[i] : 0);
    f1.push_back(2 * sums.right[i] / both);
  }
  if (recall.empty()) return quality;
  quality.accuracy = std::accumulate(sums.right.begin(), sums.right.end(), 0.0) / of.total;
  quality.mean_precision = mean_if_any(precision);
  quality.mean_recall = mean_if_any(recall);
  quality.macro_f1 = mean_if_any(f1);
  quality.g_mean = std::exp(logarithms / static_cast<double>(recall.size()));
  if (of.top_5_count) quality.top_5 = *of.top_5_count / of.total;
  std::vector<double> areas;
  for (const ClassScores& one : of.scores)
    if (one.auc) areas.push_back(*one.auc);
  quality.mean_auc = mean_if_any(areas);
  return quality;
}

std::optional<double> average_precision(const DetectedClass& of) {
  if (!(of.there > 0)) return std::nullopt;
  std::vector<const Detection*> found;
  for (const Detection& one : of.found) found.push_back(&one);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->score > b->score; });
  std::vector<double> recall, precision;
  double right = 0;
  for (const Detection* one : found) {
    right += one->right;
    recall.push_back(right / of.there);
    precision.push_back(right / static_cast<double>(recall.size()));
  }
  for (std::size_t i = precision.size(); i-- > 1;)
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  constexpr int kRecalls = 101;
  double sum = 0;
  for (int i = 0; i < kRecalls; ++i) {
    const auto at = std::lower_bound(recall.begin(), recall.end(), i / double{kRecalls - 1});
    if (at != recall.end()) sum += precision[static_cast<std::size_t>(at - recall.begin())];
  }
  return sum / kRecalls;
}

std::optional<double> mean_average_precision(const std::vector<DetectedClass>& classes) {
  std::vector<double> values;
  for (const DetectedClass& one : classes)
    if (const auto value = average_precision(one)) values.push_back(*value);
  return mean_if_any(values);
}

}  // namespace edgeprobe::measurements
