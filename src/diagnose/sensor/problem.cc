// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace edgeprobe::diagnose::sensor {

using readings::FrontEnd;
using readings::Table;

FrontEnd plain_form(FrontEnd f, std::size_t axes) {
  if (f.axes.empty())
    for (std::size_t a = 0; a < axes; ++a) f.axes.push_back({static_cast<int>(a), false});
  for (auto* list : {&f.scale, &f.mean, &f.std}) {
    if (list->size() == 1) list->assign(f.axes_last ? axes : f.axes.size(), list->front());
    if (!f.axes_last) continue;
    std::vector<double> taken;
    for (const readings::Axis& axis : f.axes)
      taken.push_back((*list)[static_cast<std::size_t>(axis.of)] *
                      (list == &f.mean && axis.negative ? -1 : 1));
    *list = taken;
  }
  f.axes_last = false;
  return f;
}

FrontEnd short_form(FrontEnd f) {
  for (auto* list : {&f.scale, &f.mean, &f.std})
    if (std::adjacent_find(list->begin(), list->end(), std::not_equal_to<>()) == list->end())
      list->resize(1);
  return f;
}

Result<Problem> Problem::make(const std::vector<Observation>& observations,
                              const FrontEnd& reference) {
  Problem problem;
  if (observations.empty()) return Error{ErrorKind::kUsage, "no readings with a model input"};
  const auto columns = static_cast<std::size_t>(observations.front().series->axes);
  for (const Observation& one : observations)
    if (static_cast<std::size_t>(one.series->axes) != columns)
      return Error{ErrorKind::kUsage, "the readings have different numbers of axes"};
  // features() below rejects lists shorter than the readings, with a message.
  EP_TRY(auto made, readings::features(*observations.front().series, reference));
  problem.reference_ = plain_form(reference, columns);
  problem.axes_ = made.axes;
  problem.steps_ = made.steps;
  double squares = 0, most = 0;
  std::set<double> distinct;
  for (const Observation& one : observations) {
    EP_TRY(const auto stored, stored_as_float(one.input));
    if (stored.size() != made.values.size())
      return Error{ErrorKind::kUsage, "the recorded input has " + std::to_string(stored.size()) +
                                          " values, and the reference's front end makes " +
                                          std::to_string(made.values.size())};
    problem.seen_.push_back({{stored.begin(), stored.end()}, one.input.spec, one.series});
    for (const double value : problem.seen_.back().stored) {
      if (!std::isfinite(value))
        return Error{ErrorKind::kCorrupt, "the recorded input contains values that are not finite"};
      most = std::max(most, std::abs(value));
      if (distinct.size() < 3) distinct.insert(value);
    }
  }
  problem.distinct_ = distinct.size();
  const TensorSpec& spec = observations.front().input.spec;
  problem.coded_ = !is_float(spec.dtype);
  if (problem.coded_) {
    EP_TRY(auto coding, readings::coding_of(reference, spec));
    problem.coding_ = coding;
    problem.unit_ = coding.scale;
    return problem;
  }
  for (std::size_t k = 0; k < problem.seen_.size(); ++k) {
    const Table table = problem.recorded(k, {reference.axes_first, false});
    for (std::size_t a = 0; a < table.axes; ++a) {
      double sum = 0, square = 0;
      for (std::size_t t = 0; t < table.steps; ++t) sum += table.at(t, a);
      for (std::size_t t = 0; t < table.steps; ++t) {
        const double apart = table.at(t, a) - sum / static_cast<double>(table.steps);
        square += apart * apart;
      }
      squares += square / static_cast<double>(table.steps);
    }
  }
  const double deviation =
      std::sqrt(squares / static_cast<double>(problem.seen_.size() * problem.axes_));
  // Differences below a few float32 steps cannot be resolved.
  problem.unit_ = std::max({deviation * 1e-3, most * 2e-6, 1e-30});
  return problem;
}

double Problem::score(const FrontEnd& f) const {
  double squares = 0;
  std::size_t count = 0;
  for (const Seen& seen : seen_) {
    const auto made = readings::features(*seen.series, f);
    if (!made || made->steps != steps_ || made->axes != axes_)
      return std::numeric_limits<double>::infinity();
    readings::Coding coding;
    if (coded_) {
      const auto stated = readings::coding_of(f, seen.spec);
      if (!stated) return std::numeric_limits<double>::infinity();
      coding = *stated;
    }
    for (std::size_t t = 0; t < steps_; ++t)
      for (std::size_t a = 0; a < axes_; ++a) {
        const double is = seen.stored[place(t, a, f.axes_first)];
        const double value = coded_ ? readings::code_of(made->at(t, a), coding, f)
                                    : static_cast<double>(static_cast<float>(made->at(t, a)));
        const double apart = (is - value) / (coded_ ? 1 : unit_);
        squares += apart * apart;
        ++count;
      }
  }
  return std::sqrt(squares / static_cast<double>(count));
}

Table Problem::recorded(std::size_t observation, const Reading& reading) const {
  const Seen& seen = seen_[observation];
  Table table{steps_, axes_, std::vector<double>(steps_ * axes_)};
  const double half = (coding_.high - coding_.low + 1) / 2;
  for (std::size_t t = 0; t < steps_; ++t)
    for (std::size_t a = 0; a < axes_; ++a) {
      double value = seen.stored[place(t, a, reading.axes_first)];
      if (coded_ && reading.sign_flipped) value += value - coding_.low < half ? half : -half;
      table.at(t, a) = coded_ ? (value - coding_.zero) * coding_.scale : value;
    }
  return table;
}

std::vector<bool> Problem::saturated(std::size_t observation, const Reading& reading) const {
  std::vector<bool> at_end(steps_ * axes_);
  if (!coded_) return at_end;
  const Table table = recorded(observation, reading);
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    const double code = std::round(table.values[i] / coding_.scale + coding_.zero);
    at_end[i] = code <= coding_.low || code >= coding_.high;
  }
  return at_end;
}

}  // namespace edgeprobe::diagnose::sensor
