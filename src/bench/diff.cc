// SPDX-License-Identifier: Apache-2.0
#include "bench/diff.h"

#include <algorithm>

#include "core/text.h"
#include "stats/rank.h"

namespace edgeprobe::bench {
namespace {

/// Two processes of one model on a busy machine were observed to differ by a factor of 1.37, even
/// in quiet runs: a load on the other thread of the same core does not appear as run delay, and
/// costs up to a factor of two.
constexpr double kOneProcess = 2;
// With fewer runs of one process, a change cannot be distinguished from chance.
constexpr std::size_t kFewest = 5;

/// `floor`: smallest relevant change, in seconds.
Change judged(const Comparison& comparison, const DiffOptions& options, double floor, bool quiet) {
  const bool several = comparison.ratios.size() > 1;
  const bool slower = comparison.ratio.value > 1 + options.threshold;
  const bool faster = comparison.ratio.value * (1 + options.threshold) < 1;
  if (!several && std::min(comparison.runs_a, comparison.runs_b) < kFewest) return Change::kNone;
  if (comparison.adjusted >= options.significance || (!slower && !faster)) return Change::kNone;
  if (std::abs(comparison.b - comparison.a) < floor) return Change::kSmall;
  const double factor = slower ? comparison.ratio.value : 1 / comparison.ratio.value;
  if (!several && (factor < kOneProcess || !quiet)) return Change::kUnsure;
  return slower ? Change::kSlower : Change::kFaster;
}

void adjust(std::vector<Comparison*> comparisons) {
  std::vector<double> p;
  for (const Comparison* const one : comparisons) p.push_back(one->p);
  const std::vector<double> adjusted = stats::holm(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) comparisons[i]->adjusted = adjusted[i];
}

std::string machine_text(const meter::Machine& machine) {
  return machine.architecture + ", '" + sanitized(machine.processor) + "', " +
         std::to_string(machine.cpus) + " CPUs";
}

/// Differences that make times incomparable, one sentence each.
std::vector<std::string> obstacles(const Results& a, const Results& b) {
  std::vector<std::string> found;
  if (a.subject.sha256 != b.subject.sha256)
    found.push_back("A measured '" + sanitized(a.subject.model) + "' (sha256 " +
                    sanitized(a.subject.sha256.substr(0, 12)) + "), B '" +
                    sanitized(b.subject.model) + "' (" + sanitized(b.subject.sha256.substr(0, 12)) +
                    "): other models");
  if (a.machine.architecture != b.machine.architecture ||
      a.machine.processor != b.machine.processor || a.machine.cpus != b.machine.cpus)
    found.push_back("A was measured on " + machine_text(a.machine) + ", B on " +
                    machine_text(b.machine) + ": other machines");
  return found;
}

const Configuration* find(const Results& results, const std::string& name) {
  const auto at = std::find_if(results.configurations.begin(), results.configurations.end(),
                               [&](const Configuration& one) { return one.name == name; });
  return at == results.configurations.end() ? nullptr : &*at;
}

/// The files of a side must be repeated measurements of one thing.
Status check_side(const std::vector<Results>& side, const char* which, const DiffOptions& options,
                  std::vector<std::string>& notes) {
  for (std::size_t i = 1; i < side.size(); ++i) {
    std::vector<std::string> found = obstacles(side.front(), side[i]);
    for (std::string& one : other_engine(side.front().subject, side[i].subject))
      found.push_back(std::move(one));
    for (const std::string& one : found) {
      const std::string text = std::string("the files of ") + which +
                               " are not of one thing (1: A, " + std::to_string(i + 1) +
                               ": B): " + one;
      if (!options.force)
        return Error{ErrorKind::kUsage, text + "; --force compares them all the same"};
      notes.push_back(text);
    }
  }
  for (const Results& results : side)
    if (results.stopped)
      notes.push_back(std::string(which) + " was stopped by the user before it was complete");
  return {};
}

}  // namespace

const char* name(Change change) {
  switch (change) {
    case Change::kSlower: return "slower";
    case Change::kFaster: return "faster";
    case Change::kSmall: return "small";
    case Change::kUnsure: return "unsure";
    case Change::kNone: break;
  }
  return "none";
}

std::vector<std::string> other_engine(const Subject& a, const Subject& b) {
  std::vector<std::string> notes;
  const engine::EngineIdentity &first = a.engine, &second = b.engine;
  if (first.kind != second.kind || first.version != second.version || first.sha256 != second.sha256)
    notes.push_back("other engines: A " + sanitized(first.kind + " " + first.version) +
                    " (sha256 " + sanitized(first.sha256.substr(0, 12)) + "), B " +
                    sanitized(second.kind + " " + second.version) + " (" +
                    sanitized(second.sha256.substr(0, 12)) + ")");
  if (a.kernels != b.kernels || a.options != b.options)
    notes.push_back("other options: A '" + sanitized(a.kernels + " " + a.options) + "', B '" +
                    sanitized(b.kernels + " " + b.options) + "'");
  return notes;
}

void judge(Diff& diff, const DiffOptions& options) {
  std::vector<Comparison*> overall;
  for (ConfigurationDiff& one : diff.configurations) overall.push_back(&one.overall);
  adjust(overall);
  diff.slower = diff.undecided = 0;
  for (ConfigurationDiff& one : diff.configurations) {
    one.overall.change = judged(one.overall, options, 0, one.quiet);
    // An undetected change is still possible if the interval contains one.
    if (one.rounds > 1 && one.overall.change == Change::kNone &&
        !(one.overall.ratio.high <= 1 + options.threshold))
      one.overall.change = Change::kUnsure;
    std::vector<Comparison*> kernels;
    for (Comparison& kernel : one.kernels) kernels.push_back(&kernel);
    adjust(kernels);
    for (Comparison& kernel : one.kernels)
      kernel.change = judged(kernel, options, options.layer_floor * one.overall.a, one.quiet);
    const auto count = [&](const Comparison& found) {
      diff.slower += found.change == Change::kSlower;
      diff.undecided += found.change == Change::kUnsure && found.ratio.high > 1;
    };
    count(one.overall);
    for (const Comparison& kernel : one.kernels) count(kernel);
  }
}

Result<Diff> diff(const std::vector<Results>& a, const std::vector<Results>& b,
                  const DiffOptions& options) {
  if (a.empty() || a.size() != b.size())
    return Error{ErrorKind::kUsage,
                 "A has " + std::to_string(a.size()) + " files, B " + std::to_string(b.size()) +
                     ": they are compared in pairs, the first of A with the first "
                     "of B, in the order in which they were taken in turns"};
  Diff result;
  for (std::string& obstacle : obstacles(a.front(), b.front())) {
    if (!options.force)
      return Error{ErrorKind::kUsage, obstacle + "; --force compares them all the same"};
    result.notes.push_back(std::move(obstacle));
  }
  for (std::string& note : other_engine(a.front().subject, b.front().subject))
    result.notes.push_back(std::move(note));
  for (const auto& [side, which] : {std::pair(&a, "A"), {&b, "B"}})
    EP_CHECK(check_side(*side, which, options, result.notes));

  for (const Configuration& in_a : a.front().configurations) {
    std::vector<Round> rounds;
    bool everywhere = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      rounds.push_back({find(a[i], in_a.name), find(b[i], in_a.name), std::nullopt});
      everywhere = everywhere && rounds.back().a && rounds.back().b;
    }
    if (!everywhere) {
      result.notes.push_back("'" + sanitized(in_a.name) + "' is " +
                             (a.size() > 1 ? "not in all files" : "only in A"));
      continue;
    }
    for (const Round& round : rounds)
      if (round.a->runs.empty() || round.b->runs.empty())
        return Error{ErrorKind::kCorrupt, "'" + sanitized(in_a.name) + "' has no runs in " +
                                              (round.a->runs.empty() ? "A" : "B") +
                                              ": there is nothing to compare"};
    result.configurations.push_back(compare_rounds(rounds, result.notes));
  }
  for (const Configuration& in_b : b.front().configurations)
    if (!find(a.front(), in_b.name))
      result.notes.push_back("'" + sanitized(in_b.name) + "' is only in B");
  if (result.configurations.empty())
    return Error{ErrorKind::kUsage,
                 "the files have no configuration in common: measure both with the same --threads, "
                 "--cpus, --batch and --scenario"};
  judge(result, options);
  return result;
}

}  // namespace edgeprobe::bench
