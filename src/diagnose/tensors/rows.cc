// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"

/// Changes that an app makes to whole rows of an output before recording it.
namespace edgeprobe::diagnose::tensors {
namespace {

using Row = std::vector<float>;
using MakeRow = Row (*)(Row);

/// Rows run along the last axis longer than 1.
std::size_t row_length(const Pairs& pairs) {
  const auto axes = all_axes(pairs.shape);
  return axes.empty() ? 0 : axes.back().size;
}

std::vector<float> by_rows(const std::vector<float>& values, std::size_t length, MakeRow make) {
  std::vector<float> out;
  for (std::size_t from = 0; from + length <= values.size(); from += length) {
    const Row row = make(
        Row(values.begin() + std::ptrdiff_t(from), values.begin() + std::ptrdiff_t(from + length)));
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

Row softmax(Row row) {
  const float most = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (float& value : row) sum += value = std::exp(value - most);
  for (float& value : row) value = float(double(value) / sum);
  return row;
}
Row ascending(Row row) {
  std::sort(row.begin(), row.end());
  return row;
}
Row descending(Row row) {
  std::sort(row.begin(), row.end(), std::greater<>());
  return row;
}
Row by_largest(Row row) {
  float most = 0;
  for (const float value : row) most = std::max(most, std::abs(value));
  for (float& value : row) value /= most;
  return row;
}
Row by_length(Row row) {
  double squares = 0;
  for (const float value : row) squares += double(value) * value;
  for (float& value : row) value = float(double(value) / std::sqrt(squares));
  return row;
}
Row by_sum(Row row) {
  double sum = 0;
  for (const float value : row) sum += value;
  for (float& value : row) value = float(double(value) / sum);
  return row;
}

struct Made {
  MakeRow make;
  const char* words;
};
constexpr Made kMade[] = {
    {softmax, "is the softmax of the reference's"},
    {ascending, "holds the reference's values in ascending order, whatever their places"},
    {descending, "holds the reference's values in descending order, whatever their places"},
    {by_largest, "is the reference's divided by its largest absolute value"},
    {by_length, "is the reference's divided by its length (L2)"},
    {by_sum, "is the reference's divided by its sum"},
};

}  // namespace

std::optional<Change> other_rows(const Pairs& pairs) {
  const std::size_t length = row_length(pairs);
  if (pairs.codes || length < 2) return std::nullopt;
  const double slack = std::max(pairs.slack, 1e-6);
  // True if `make` turns `from` into `to` in every frame that differs, and changes it visibly.
  const auto holds = [&](MakeRow make, std::vector<float> Pair::*from,
                         std::vector<float> Pair::*to) {
    bool differed = false;
    for (const std::size_t at : pairs.differs) {
      const std::vector<float>&own = pairs.all[at].*from, &wanted = pairs.all[at].*to;
      const std::vector<float> made = by_rows(own, length, make);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(std::abs(double(made[i]) - double(wanted[i])) <= slack)) return false;
        differed = differed || std::abs(double(own[i]) - double(wanted[i])) > 20 * slack;
      }
    }
    return differed;
  };
  for (const Made& one : kMade)
    if (holds(one.make, &Pair::wanted, &Pair::fed)) return Change{CauseKind::kOperator, one.words};
  if (holds(softmax, &Pair::fed, &Pair::wanted))
    return Change{CauseKind::kOperator, "lacks the softmax of the reference's"};
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose::tensors
