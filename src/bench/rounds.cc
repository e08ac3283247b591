// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "bench/diff.h"
#include "core/text.h"
#include "stats/bootstrap.h"
#include "stats/quantile.h"
#include "stats/rank.h"
#include "stats/significance.h"

namespace edgeprobe::bench {
namespace {

constexpr std::size_t kFewQuiet = 20;
constexpr std::size_t kFewest = 5;

std::vector<double> latencies(const Configuration& configuration, bool quiet_only) {
  std::vector<double> values;
  for (const Run& run : configuration.runs)
    if (!quiet_only || run.quiet) values.push_back(run.latency);
  return values;
}

bool has_quiet(const Configuration& configuration) {
  return configuration.no_quiet.empty() && latencies(configuration, true).size() >= kFewQuiet;
}

/// A latency or a kernel in one round: the times of all runs of one process on each side.
struct Times {
  std::vector<double> a, b;
  std::optional<double> ratio;
};

/// One process on each side: conclusions apply only to these two.
void compare_processes(const Times& times, Comparison& to) {
  to.a = stats::median(times.a);
  to.b = stats::median(times.b);
  to.ratio = stats::median_ratio(times.a, times.b);
  const stats::RankTest test = stats::mann_whitney(times.a, times.b);
  to.p = test.p;
  to.probability_of_superiority = test.probability_of_superiority;
  to.ratios = {to.ratio.value};
}

Comparison compare(std::string what, const std::vector<Times>& rounds) {
  Comparison found;
  found.what = std::move(what);
  for (const Times& times : rounds) {
    found.runs_a += times.a.size();
    found.runs_b += times.b.size();
  }
  if (rounds.size() == 1) {
    compare_processes(rounds.front(), found);
    return found;
  }
  std::vector<double> a, b, logs;
  double longer = 0;
  for (const Times& times : rounds) {
    a.push_back(stats::median(times.a));
    b.push_back(stats::median(times.b));
    // A kernel faster than the engine's clock resolution has no usable time.
    if (!(a.back() > 0) || !(b.back() > 0)) continue;
    const double ratio = times.ratio.value_or(b.back() / a.back());
    logs.push_back(std::log(ratio));
    found.ratios.push_back(ratio);
    longer += ratio > 1 ? 1 : ratio == 1 ? 0.5 : 0;
  }
  found.a = stats::median(a);
  found.b = stats::median(b);
  if (logs.empty()) return found;
  const stats::MeanTest test = stats::mean_test(logs);
  found.ratio = {std::exp(test.mean), std::exp(test.low), std::exp(test.high)};
  found.p = test.p;
  found.probability_of_superiority = longer / static_cast<double>(logs.size());
  return found;
}

std::string label_of(const KernelTime& kernel) {
  std::string layers;
  for (const int layer : kernel.layers)
    layers += (layers.empty() ? "" : "+") + std::to_string(layer);
  const std::string name = kernel.name.empty() || kernel.name == kernel.type
                               ? kernel.type
                               : kernel.name + " (" + kernel.type + ")";
  return layers.empty() ? name : "layer " + layers + " " + name;
}

/// Kernels identified by their properties and their position among equal ones.
using KernelKey = std::tuple<bool, std::string, std::string, std::vector<int>, std::size_t>;
std::vector<std::pair<KernelKey, const KernelTime*>> keyed(const Configuration& configuration) {
  std::vector<std::pair<KernelKey, const KernelTime*>> list;
  if (!configuration.profile) return list;
  std::map<KernelKey, std::size_t> seen;
  for (const KernelTime& kernel : configuration.profile->times.kernels) {
    KernelKey key{kernel.inner, kernel.name, kernel.engine_type, kernel.layers, 0};
    std::get<4>(key) = seen[key]++;
    list.emplace_back(std::move(key), &kernel);
  }
  return list;
}

/// Compares the kernels that every round has on both sides.
void compare_kernels(const std::vector<Round>& rounds, ConfigurationDiff& to) {
  using Kernels = std::map<KernelKey, const KernelTime*>;
  std::vector<std::pair<Kernels, Kernels>> maps;
  for (const Round& round : rounds) {
    const auto a = keyed(*round.a), b = keyed(*round.b);
    maps.emplace_back(Kernels(a.begin(), a.end()), Kernels(b.begin(), b.end()));
  }
  for (const auto& [key, kernel] : keyed(*rounds.front().a)) {
    const std::size_t nth = std::get<4>(key);
    const std::string label = label_of(*kernel) + (nth ? " #" + std::to_string(nth + 1) : "");
    std::vector<Times> times;
    for (const auto& [a, b] : maps) {
      const auto in_a = a.find(key), in_b = b.find(key);
      if (in_a != a.end() && in_b != b.end())
        times.push_back({in_a->second->seconds, in_b->second->seconds, std::nullopt});
    }
    if (times.size() < rounds.size()) {
      to.only_in_a.push_back(label);
      continue;
    }
    to.kernels.push_back(compare(label, times));
    to.kernels.back().layers = kernel->layers;
  }
  const auto known = keyed(*rounds.front().a);
  for (const auto& [key, kernel] : keyed(*rounds.front().b))
    if (std::none_of(known.begin(), known.end(),
                     [&key = key](const auto& one) { return one.first == key; }))
      to.only_in_b.push_back(label_of(*kernel));
}

}  // namespace

ConfigurationDiff compare_rounds(const std::vector<Round>& rounds,
                                 std::vector<std::string>& notes) {
  ConfigurationDiff one;
  const Configuration &first_a = *rounds.front().a, &first_b = *rounds.front().b;
  one.name = first_a.name == first_b.name ? first_a.name : first_a.name + " | " + first_b.name;
  one.rounds = rounds.size();
  one.quiet = std::all_of(rounds.begin(), rounds.end(), [](const Round& round) {
    return has_quiet(*round.a) && has_quiet(*round.b);
  });
  std::vector<Times> times;
  for (const Round& round : rounds)
    times.push_back({latencies(*round.a, one.quiet), latencies(*round.b, one.quiet), round.ratio});
  one.overall = compare("inference", times);
  if (rounds.size() == 1 && first_a.offline && first_b.offline &&
      first_a.offline->samples_per_second > 0)
    one.throughput_ratio =
        first_b.offline->samples_per_second / first_a.offline->samples_per_second;
  std::size_t with_a = 0, with_b = 0;
  for (const Round& round : rounds) {
    with_a += round.a->profile.has_value();
    with_b += round.b->profile.has_value();
  }
  if (with_a == rounds.size() && with_b == rounds.size()) compare_kernels(rounds, one);
  else if (with_a + with_b > 0)
    notes.push_back("'" + sanitized(one.name) + "': " +
                    (rounds.size() > 1
                         ? "not all files have layer times"
                         : std::string("only ") + (with_a ? "A" : "B") + " has layer times"));
  if (rounds.size() == 1 && std::min(one.overall.runs_a, one.overall.runs_b) < kFewest)
    notes.push_back("'" + sanitized(one.name) +
                    "': fewer than 5 runs cannot distinguish a change from chance");
  return one;
}

}  // namespace edgeprobe::bench
