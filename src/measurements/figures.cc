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

std::vector<ClassFigures> figures_by_class(const Classification& of) {
  const Sums sums = sums_of(of);
  std::vector<ClassFigures> figures(of.classes);
  for (std::size_t i = 0; i < of.classes; ++i) {
    ClassFigures& one = figures[i];
    one.frames = sums.there[i];
    if (one.frames > 0) one.recall = sums.right[i] / one.frames;
    if (const double both = one.frames + sums.answered[i]; both > 0) {
      one.precision = sums.answered[i] > 0 ? sums.right[i] / sums.answered[i] : 0;
      one.f1 = 2 * sums.right[i] / both;
    }
    if (of.scores.empty()) continue;
    one.auc = of.scores[i].auc;
    if (of.top_5_count && one.frames > 0) one.top_5 = of.scores[i].top_5_count / one.frames;
  }
  return figures;
}

std::string class_name(const Measurements& of, std::size_t index) {
  return index < of.class_names.size() ? of.class_names[index] : std::to_string(index);
}

Quality quality_of(const Classification& of) {
  Quality quality;
  quality.classes = of.classes;
  std::vector<double> precision, recall, f1, areas;
  double logarithms = 0, right = 0;
  for (std::size_t i = 0; i < of.classes; ++i) right += of.confusion[i * of.classes + i];
  for (const ClassFigures& one : figures_by_class(of)) {
    if (one.recall) {
      recall.push_back(*one.recall);
      logarithms += std::log(*one.recall);  // -inf if a class is never correct.
    } else {
      ++quality.absent;
    }
    if (one.precision) precision.push_back(*one.precision);
    if (one.f1) f1.push_back(*one.f1);
    if (one.auc) areas.push_back(*one.auc);
  }
  if (recall.empty()) return quality;
  quality.accuracy = right / of.total;
  quality.mean_precision = mean_if_any(precision);
  quality.mean_recall = mean_if_any(recall);
  quality.macro_f1 = mean_if_any(f1);
  quality.g_mean = std::exp(logarithms / static_cast<double>(recall.size()));
  if (of.top_5_count) quality.top_5 = *of.top_5_count / of.total;
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
