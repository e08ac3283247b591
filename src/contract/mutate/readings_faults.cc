// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "contract/mutate/front_faults.h"
#include "diagnose/sensor/members.h"
#include "preprocess/recipe/readings_steps.h"

namespace edgeprobe::contract {
namespace {

// 1 g in m/s², and 180 degrees in radians.
constexpr double kGravity = 9.80665, kDegrees = 180 / 3.14159265358979323846;

class ReadingsFaults : public FrontFaults<sensor::FrontEnd> {
 public:
  ReadingsFaults(const preprocess::Recipe& recipe, const sensor::FrontEnd& right,
                 const sensor::Series& series)
      : FrontFaults(recipe, right), series_(series) {}

  const sensor::Series& series() const { return series_; }
  /// The selected axes, written out.
  std::vector<sensor::Axis> axes() const {
    if (!right().axes.empty()) return right().axes;
    std::vector<sensor::Axis> recorded(static_cast<std::size_t>(series_.axes));
    for (std::size_t i = 0; i < recorded.size(); ++i) recorded[i].of = static_cast<int>(i);
    return recorded;
  }

 private:
  const sensor::Series& series_;
};

void axes(ReadingsFaults& faults) {
  const std::vector<sensor::Axis> right = faults.axes();
  const auto with = [&](const std::string& what, const auto& change) {
    std::vector<sensor::Axis> wrong = right;
    change(wrong);
    if (wrong != right)
      faults.add(diagnose::CauseKind::kAxisOrder, what,
                 [wrong](sensor::FrontEnd& f) { f.axes = wrong; });
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(right.size(), 3); ++i)
    with("axis " + std::to_string(i) + " negated",
         [i](auto& wrong) { wrong[i].negative = !wrong[i].negative; });
  if (right.size() < 2) return;
  with("the first two axes exchanged", [](auto& wrong) { std::swap(wrong[0], wrong[1]); });
  with("axes in the reverse order", [](auto& wrong) { std::reverse(wrong.begin(), wrong.end()); });
  with("axes turned on by one",
       [](auto& wrong) { std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end()); });
}

void units(ReadingsFaults& faults) {
  for (const auto& [factor, what] : {std::pair{kGravity, "m/s² for g"},
                                     {1 / kGravity, "g for m/s²"},
                                     {kDegrees, "degrees for radians"},
                                     {1 / kDegrees, "radians for degrees"},
                                     {1000.0, "thousandths for whole units"}})
    faults.add(diagnose::CauseKind::kUnit, what, [factor = factor](sensor::FrontEnd& f) {
      for (double& one : f.scale) one *= factor;
    });
}

void times(ReadingsFaults& faults) {
  const sensor::FrontEnd& right = faults.right();
  const double recorded = right.believed > 0 ? right.believed : faults.series().rate;
  if (right.rate > 0) {
    faults.add(diagnose::CauseKind::kSampleRate, "not resampled", [](sensor::FrontEnd& f) {
      f.rate = 0;
      f.believed = 0;
    });
    if (recorded > 0) {
      faults.add(diagnose::CauseKind::kSampleRate, "taken for twice the rate",
                 [=](sensor::FrontEnd& f) { f.believed = 2 * recorded; });
      faults.add(diagnose::CauseKind::kSampleRate, "taken for half the rate",
                 [=](sensor::FrontEnd& f) { f.believed = recorded / 2; });
    }
  }
  const auto kind = diagnose::CauseKind::kWindow;
  if (right.length > 0) {
    faults.add(kind, "the window half its length later",
               [](sensor::FrontEnd& f) { f.offset += f.length / 2; });
    faults.add(kind, "a ring buffer read from its middle",
               [](sensor::FrontEnd& f) { f.roll = f.length / 2; });
    faults.add(kind, "half of the window filled", [](sensor::FrontEnd& f) {
      f.kept = f.length / 2;
      f.fill = sensor::Fill::kZero;
    });
  }
  faults.add(kind, "the newest step first",
             [](sensor::FrontEnd& f) { f.newest_first = !f.newest_first; });
}

void values(ReadingsFaults& faults) {
  const sensor::FrontEnd& right = faults.right();
  const auto kind = diagnose::CauseKind::kFeatureNormalization;
  const bool has_fixed =
      right.mean != std::vector<double>{0} || right.std != std::vector<double>{1};
  if (has_fixed) {
    faults.add(kind, "not normalised", [](sensor::FrontEnd& f) {
      f.mean = {0};
      f.std = {1};
    });
    if (right.mean.size() > 1)
      faults.add(kind, "mean and standard deviation in the reverse order of axes",
                 [](sensor::FrontEnd& f) {
                   std::reverse(f.mean.begin(), f.mean.end());
                   std::reverse(f.std.begin(), f.std.end());
                 });
  }
  if (right.own == sensor::Own::kNone)
    faults.add(kind, "normalised by the window's own figures", [](sensor::FrontEnd& f) {
      f.mean = {0};
      f.std = {1};
      f.own = sensor::Own::kMeanAndVariance;
    });
}

/// Changes one argument of a step.
void arguments(ReadingsFaults& faults) {
  for (const recipe::Fault& fault : recipe::faults(preprocess::readings_steps(), &faults.right()))
    for (const diagnose::sensor::Kind& kind : diagnose::sensor::kinds())
      if (kind.step == fault.step->name &&
          // A single axis has only one order.
          (kind.cause != diagnose::CauseKind::kLayout || faults.series().axes > 1))
        faults.add(kind.cause, fault);
}

}  // namespace

std::vector<Mutation> readings_faults(const preprocess::Recipe& recipe,
                                      const sensor::FrontEnd& right, const sensor::Series& series) {
  ReadingsFaults faults(recipe, right, series);
  axes(faults);
  units(faults);
  times(faults);
  values(faults);
  arguments(faults);
  return std::move(faults.all);
}

}  // namespace edgeprobe::contract
