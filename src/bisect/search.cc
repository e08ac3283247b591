// SPDX-License-Identifier: Apache-2.0
#include "bisect/search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "bisect/runs.h"
#include "core/text.h"

namespace edgeprobe::bisect {
namespace {

// A cut is wrong if the host, continuing from the device's tensors, still has more than half of the
// squared gap: accumulated rounding stays below that if a fault dominates.
constexpr double kHalf = 0.5;
// The part before a found operator is searched if it leaves more than this fraction of the gap.
constexpr double kLeft = 0.05;
// Fraction of the gap that accumulated rounding may leave after a repair in an integer model.
constexpr double kRounding = 0.1;
constexpr int kFarthestMove = 4;

class Search {
 public:
  Search(BlackBox& box, const SearchOptions& options, const Control& control)
      : options_(options), runs_(box, control), found_(runs_.found), units_(runs_.units) {}

  Result<Found> run() {
    auto done = whole();
    std::sort(found_.wrong.begin(), found_.wrong.end(),
              [](const Wrong& a, const Wrong& b) { return a.first < b.first; });
    if (done && !found_.wrong.empty()) done = measure_repair(runs_);
    if (!done && done.error().kind == ErrorKind::kInterrupted) found_.stopped = true;
    else if (!done) return std::move(done.error());
    if (!found_.wrong.empty()) found_.outcome = Outcome::kFound;
    return std::move(found_);
  }

 private:
  std::string named(int unit) const { return runs_.box.name(unit); }
  Result<Seen> device(int from, int to) { return runs_.device(from, to); }

  void add(Wrong wrong) {
    found_.wrong.push_back(std::move(wrong));
    if (found_.runs_to_first == 0) found_.runs_to_first = found_.runs.size();
  }

  Status whole() {
    EP_TRY(auto seen, device(0, units_));
    found_.gap = seen.gap;
    found_.excess = seen.excess;
    if (seen.refused.empty() && seen.excess <= 1) {
      found_.outcome = Outcome::kEqual;
      return {};
    }
    return range(0, units_, found_.gap);
  }

  // Finds faults one after another in [start, end), each repaired by continuing from the host's
  // result.
  Status range(int start, int end, double whole_gap) {
    while (start < end) {
      EP_TRY(auto seen, device(start, end));
      const bool refused = !seen.refused.empty();
      if (!refused && seen.excess <= 1) return {};
      if (!refused && start > 0 && runs_.box.rounds() && seen.gap < kRounding * whole_gap) {
        if (end < units_) return {};
        found_.notes.push_back("after " + named(start - 1) + " output NRMSE " +
                               number(seen.gap, 3) +
                               " is left, less than a tenth of the whole: rounding that adds up "
                               "or a small fault, it was not searched");
        return {};
      }
      if (found_.wrong.size() >= options_.most_wrong) {
        found_.notes.push_back("more than " + std::to_string(options_.most_wrong) +
                               " operators may be wrong: the search was left at that");
        return {};
      }
      Probes probes;
      EP_TRY(auto next, refused ? failing(start, end, seen) : differing(start, end, seen, probes));
      if (next < 0) return {};
      start = next;
    }
    return {};
  }

  // The nearest cut between lo and hi that the device can run, starting at `middle`.
  Result<std::optional<Seen>> probe(int start, int lo, int hi, int middle) {
    for (int step = 0; step <= 2 * kFarthestMove; ++step) {
      const int cut = step % 2 ? middle + (step + 1) / 2 : middle - step / 2;
      if (cut <= lo || cut >= hi) continue;
      EP_TRY(auto seen, device(start, cut));
      if (seen.refused.empty()) return std::optional(std::move(seen));
      found_.notes.push_back("the device refuses the part that ends before " + named(cut) + " (" +
                             seen.refused + "): the cut was moved");
    }
    return std::optional<Seen>();
  }

  // Searches for a wrong unit in [start, end), whose last tensors differ. Returns the unit after
  // it; -1 if there is none.
  Result<int> differing(int start, int end, const Seen& last, Probes& probes) {
    int lo = start, hi = end;
    probes[end] = last;
    const double half = kHalf * last.gap * last.gap;
    while (hi - lo > 1) {
      EP_TRY(auto seen, probe(start, lo, hi, lo + (hi - lo) / 2));
      if (!seen) {
        found_.notes.push_back("between " + named(lo) + " and " + named(hi - 1) +
                               " the device runs no part by itself");
        add({lo, hi - 1, Certainty::kInside, last.excess, last.gap, {}, 0});
        return hi;
      }
      const int cut = seen->to;
      const bool wrong = seen->excess > 1 && seen->gap * seen->gap > half;
      probes[cut] = *std::move(seen);
      (wrong ? hi : lo) = cut;
    }
    EP_TRY(auto wrong, confirmed(runs_, start, lo, probes));
    if (!wrong) return -1;
    add(*std::move(wrong));
    const int next = found_.wrong.back().last + 1;
    EP_CHECK(before(start, found_.wrong.back().first, last, probes));
    return next;
  }

  // Searches before the found unit for faults that the larger one hid.
  Status before(int start, int unit, const Seen& last, Probes& probes) {
    const auto seen = probes.find(unit);
    const double least = (runs_.box.rounds() ? kRounding : kLeft) * last.gap;
    if (seen == probes.end() || seen->second.excess <= 1 || seen->second.gap < least) return {};
    const std::size_t known = found_.notes.size(), faults = found_.wrong.size();
    const Outcome outcome = found_.outcome;
    auto done = range(start, unit, last.gap);
    if (found_.wrong.size() == faults) {  // Rounding before a wrong operator is not a finding.
      found_.notes.resize(known);
      found_.outcome = outcome;
    }
    return done;
  }

  bool ran_something() const {
    return std::any_of(found_.runs.begin(), found_.runs.end(),
                       [](const Run& run) { return run.refused.empty(); });
  }

  // A device without a result for any operator proves nothing about a single one: it is missing or
  // not set up.
  Status runs_at_all(int unit, const std::string& why) {
    std::set<int> others{units_ - 1, units_ / 2};
    others.erase(unit);
    std::string tried = named(unit);
    for (const int other : others) {
      if (ran_something()) return {};
      EP_CHECK(device(other, other + 1));
      tried += ", " + named(other);
    }
    if (others.empty() || ran_something()) return {};
    return Error{ErrorKind::kTarget,
                 "the device gives nothing, neither for the whole model nor for single operators "
                 "(" +
                     tried + "): " + why};
  }

  // For a device that returns no result: finds the first unit that prevents it, and returns the
  // unit after it.
  Result<int> failing(int start, int end, const Seen& whole) {
    int lo = start, hi = end;
    std::string why = whole.refused;
    while (hi - lo > 1) {
      const int middle = lo + (hi - lo) / 2;
      EP_TRY(auto seen, device(start, middle));
      if (!seen.refused.empty()) why = seen.refused;
      (seen.refused.empty() ? lo : hi) = middle;
    }
    Wrong wrong{lo, lo, Certainty::kInside, 0, 0, why, 0};
    if (start != lo) {
      EP_TRY(auto alone, device(lo, lo + 1));
      if (!alone.refused.empty()) wrong.certainty = Certainty::kAlone;
    } else {
      wrong.certainty = Certainty::kAlone;
    }
    EP_CHECK(runs_at_all(lo, why));
    add(std::move(wrong));
    return lo + 1;
  }

  const SearchOptions& options_;
  Runs runs_;
  Found& found_;  ///< Part of runs_.
  const int units_;
};

}  // namespace

Result<Found> search(BlackBox& box, const SearchOptions& options, const Control& control) {
  return Search(box, options, control).run();
}

}  // namespace edgeprobe::bisect
