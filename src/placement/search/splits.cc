// SPDX-License-Identifier: Apache-2.0
#include "placement/search/splits.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/index.h"
#include "placement/search/divisions.h"
#include "stretch/split/find.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::placement {
namespace {

/// The slowest part must be at least this much faster than the whole run: below that, hand-over and
/// clock resolution dominate.
constexpr double kWorthwhile = 0.97;
/// Shares are adjusted at most this many times where processors are unlike; parts within kEven of
/// each other are left unchanged.
constexpr int kShareRounds = 2;
constexpr double kEven = 0.10;

/// A run of layers, its shares, and its measurements.
struct Run {
  stretch::Splittable found;
  std::vector<double> shares;
  stretch::Split split;
  double whole = 0;           ///< Seconds on the first processor.
  std::vector<double> parts;  ///< Seconds of each part on its processor.

  double slowest() const { return *std::max_element(parts.begin(), parts.end()); }
};

std::vector<stretch::Split> splits_of(const std::vector<Run>& runs) {
  std::vector<stretch::Split> splits;
  for (const Run& run : runs) splits.push_back(run.split);
  return splits;
}

class SplitSearch {
 public:
  SplitSearch(const SplitTask& task, const stretch::SplitSubject& subject,
              const stretch::Splittables& found, const Control& control)
      : task_(task), subject_(subject), found_(found), control_(control) {
    const std::string first = kind_text(task.processors.front());
    rounds_ = std::all_of(task.processors.begin(), task.processors.end(),
                          [&](const stretch::Processor& one) { return kind_text(one) == first; })
                  ? 0
                  : kShareRounds;
    for (const bool rows : {false, true}) further_ += measurements_of(runs_by(rows));
  }

  Result<std::optional<SplitPlan>> by(bool rows) {
    std::vector<Run> runs = runs_by(rows);
    const std::size_t later = further_ - measurements_of(runs);
    auto plan = of(std::move(runs), rows);
    further_ = later;
    return plan;
  }

 private:
  /// The runs of this kind; none if all are of the other kind.
  std::vector<Run> runs_by(bool rows) const {
    std::vector<Run> runs = runs_of(stretch::chosen(found_, rows));
    const bool has_kind = std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
      return (run.found.kind == stretch::Split::Kind::kRows) == rows;
    });
    return has_kind ? runs : std::vector<Run>();
  }

  /// At most: each run whole, its parts with each of the shares, and its parts at once.
  std::size_t measurements_of(const std::vector<Run>& runs) const {
    std::size_t sum = 0;
    for (const Run& run : runs)
      sum += 2 + static_cast<std::size_t>(rounds_ + 1) * run.split.parts.size();
    return sum;
  }

  void tell() {
    if (further_ > 0) --further_;
    task_.tell(further_);
  }

  Result<std::optional<SplitPlan>> of(std::vector<Run> runs, bool rows) {
    if (runs.empty()) return std::optional<SplitPlan>();
    for (Run& run : runs) {
      EP_TRY(run.whole, time(task_.pieces, run.found.matched.layers, 0));
    }
    for (int round = 0; !runs.empty(); ++round) {
      EP_CHECK(measure(runs));
      // Parts that are not measured would be reported with the times of others.
      if (round == rounds_ || !share_anew(runs)) break;
    }
    std::erase_if(runs, [](const Run& run) { return !(run.slowest() < run.whole * kWorthwhile); });
    if (runs.empty()) return std::optional<SplitPlan>();
    return plan_of_runs(runs, rows);
  }

  Result<double> time(PieceTimes& pieces, const std::vector<int>& layers, std::size_t processor) {
    EP_TRY(const auto timing, pieces.of(layers, task_.processors[processor], control_));
    tell();
    return timing.median;
  }

  /// The runs with enough work, and with enough channels or rows for at least two processors.
  std::vector<Run> runs_of(const std::vector<stretch::Splittable>& all) const {
    std::vector<double> speeds;
    for (const double seconds : task_.seconds) speeds.push_back(1 / seconds);
    std::vector<Run> runs;
    const auto least = static_cast<double>(subject_.graph.macs()) * kWorthSplitting;
    for (const stretch::Splittable& one : all) {
      if (static_cast<double>(one.matched.macs) < least) continue;
      stretch::Split split = stretch::most_split_of(subject_, one, speeds);
      if (split.parts.empty()) continue;
      const std::vector<double> shares(
          speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(split.parts.size()));
      runs.push_back({one, shares, std::move(split), 0, {}});
    }
    return runs;
  }

  Result<stretch::SplitModel> split_model_of(const std::vector<Run>& runs) const {
    return stretch::split_model(subject_.graph, task_.pieces.subject().file, splits_of(runs));
  }

  /// Measures each part on its processor; parts of equal size on processors of one kind are
  /// measured once.
  Status measure(std::vector<Run>& runs) {
    EP_TRY(const auto made, split_model_of(runs));
    PieceTimes pieces = task_.pieces.of_other(made.graph, made.flow, made.file);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Run& run = runs[i];
      run.parts.clear();
      for (std::size_t part = 0; part < run.split.parts.size(); ++part) {
        std::optional<double> same;
        for (std::size_t other = 0; other < part && !same; ++other)
          if (run.split.parts[other] == run.split.parts[part] &&
              kind_text(task_.processors[other]) == kind_text(task_.processors[part]))
            same = run.parts[other];
        if (!same) {
          EP_TRY(same, time(pieces, made.layers[i][part], part));
        }
        run.parts.push_back(*same);
      }
    }
    task_.pieces.add_counts(pieces);
    return {};
  }

  /// Adjusts the shares to the parts' times; true if any part changed.
  bool share_anew(std::vector<Run>& runs) const {
    bool anew = false;
    for (Run& run : runs) {
      const double fastest = *std::min_element(run.parts.begin(), run.parts.end());
      if (run.slowest() < fastest * (1 + kEven)) continue;
      for (std::size_t i = 0; i < run.parts.size(); ++i)
        run.shares[i] = static_cast<double>(run.split.parts[i]) / run.parts[i];
      std::vector<std::int64_t> parts = stretch::split_of(subject_, run.found, run.shares).parts;
      if (parts.empty() || parts == run.split.parts) continue;
      run.split.parts = std::move(parts);
      anew = true;
    }
    return anew;
  }

  /// Seconds for the parallel parts of each split, including hand-overs.
  Result<std::vector<double>> at_once(const std::vector<Run>& runs,
                                      const stretch::SplitModel& made) {
    PieceTimes pieces = task_.pieces.of_other(made.graph, made.flow, made.file);
    std::vector<double> seconds;
    for (const std::vector<std::vector<int>>& parts : made.layers) {
      std::vector<stretch::Group> groups;
      for (std::size_t part = 0; part < parts.size(); ++part)
        groups.push_back({"part " + std::to_string(part + 1), parts[part], part});
      EP_TRY(const auto timing, pieces.at_once(groups, task_.processors, control_));
      tell();
      // With other programs running, several CPUs are rarely free at the same time.
      const bool quiet = timing.quiet >= kFewestQuiet;
      seconds.push_back(quiet ? timing.median : runs[seconds.size()].slowest() + 2 * kHandingOver);
    }
    task_.pieces.add_counts(pieces);
    return seconds;
  }

  Result<std::optional<SplitPlan>> plan_of_runs(const std::vector<Run>& runs, bool rows) {
    EP_TRY(const auto model, split_model_of(runs));
    EP_TRY(const auto together, at_once(runs, model));
    EP_TRY(auto plan, stretch::plan_of_splits(subject_.graph, model, task_.processors));
    SplitPlan made;
    made.plan = std::move(plan);
    made.name = std::to_string(runs.size()) + (runs.size() == 1 ? " split by " : " splits by ") +
                (rows ? "rows" : "channels") + " over " +
                std::to_string(made.plan.programs.size()) + " processors";
    made.seconds = made.seconds_alone = task_.seconds.front();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      made.seconds -= runs[i].whole - together[i];
      made.seconds_alone -= runs[i].whole - runs[i].slowest() - 2 * kHandingOver;
    }
    // The combined speed without pauses: a time below that means a disturbed measurement.
    double speed = 0;
    for (const double seconds : task_.seconds) speed += 1 / seconds;
    made.seconds = std::max(made.seconds, 1 / speed);
    made.seconds_alone = std::max(made.seconds_alone, 1 / speed);
    return std::optional(std::move(made));
  }

  const SplitTask& task_;
  const stretch::SplitSubject& subject_;
  const stretch::Splittables& found_;
  const Control& control_;
  int rounds_ = 0;  ///< How often shares are adjusted: parts of alike processors stay equal.
  std::size_t further_ = 0;
};

}  // namespace

Result<std::vector<SplitPlan>> split_plans(const SplitTask& task, const Control& control) {
  EP_TRY(const auto subject,
         stretch::subject_of(task.pieces.subject().graph, task.pieces.subject().file));
  const stretch::Splittables found = stretch::find_splits(subject);
  if (found.channels.empty() && found.rows.empty() && !found.refused.empty())
    return Error{ErrorKind::kUnsupported, found.refused.front().reason};
  std::vector<SplitPlan> plans;
  SplitSearch search(task, subject, found, control);
  for (const bool rows : {false, true}) {
    auto plan = search.by(rows);
    // If an engine refuses one kind of split, the other may still work.
    const bool interrupts = !plan && plan.error().kind == ErrorKind::kInterrupted;
    if (!plan && (interrupts || (rows && plans.empty()))) return std::move(plan).error();
    if (plan && *plan) plans.push_back(**std::move(plan));
  }
  return plans;
}

}  // namespace edgeprobe::placement
