#include "bench/diff.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/text.h"

namespace edgeprobe::bench {
namespace {

constexpr std::size_t kFewQuiet = 20;
constexpr std::size_t kFewest = 5;  // Fewer runs cannot tell a change from chance.

std::vector<double> latencies(const Configuration& configuration, bool quiet_only) {
  std::vector<double> values;
  for (const Run& run : configuration.runs)
    if (!quiet_only || run.quiet) values.push_back(run.latency);
  return values;
}

bool has_quiet(const Configuration& configuration) {
  return configuration.no_quiet.empty() && latencies(configuration, true).size() >= kFewQuiet;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile_of(values, 0.5);
}

Comparison compare(std::string what, const std::vector<double>& a, const std::vector<double>& b) {
  Comparison comparison;
  comparison.what = std::move(what);
  comparison.a = median(a);
  comparison.b = median(b);
  comparison.runs_a = a.size();
  comparison.runs_b = b.size();
  comparison.ratio = median_ratio(a, b);
  const RankTest test = mann_whitney(a, b);
  comparison.p = test.p;
  comparison.superiority = test.superiority;
  return comparison;
}

/// `floor`: seconds that a change must have.
Change judged(const Comparison& comparison, const DiffOptions& options, double floor) {
  const bool slower = comparison.b > comparison.a * (1 + options.threshold);
  const bool faster = comparison.a > comparison.b * (1 + options.threshold);
  if (std::min(comparison.runs_a, comparison.runs_b) < kFewest) return Change::kNone;
  if (comparison.adjusted >= options.significance || (!slower && !faster)) return Change::kNone;
  if (std::abs(comparison.b - comparison.a) < floor) return Change::kSmall;
  return slower ? Change::kSlower : Change::kFaster;
}

void adjust(std::vector<Comparison*> comparisons) {
  std::vector<double> p;
  for (const Comparison* const one : comparisons) p.push_back(one->p);
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) comparisons[i]->adjusted = adjusted[i];
}

std::string label_of(const KernelTime& kernel) {
  std::string layers;
  for (const int layer : kernel.layers) layers += (layers.empty() ? "" : "+") + std::to_string(layer);
  const std::string name = kernel.name.empty() || kernel.name == kernel.type ? kernel.type : kernel.name + " (" + kernel.type + ")";
  return layers.empty() ? name : "layer " + layers + " " + name;
}

/// Kernels by what they are and the how-manieth of that they are.
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

void compare_kernels(const Configuration& a, const Configuration& b, ConfigurationDiff& to) {
  const auto of_a = keyed(a);
  const auto of_b = keyed(b);
  std::map<KernelKey, const KernelTime*> in_b(of_b.begin(), of_b.end());
  for (const auto& [key, kernel] : of_a) {
    const std::size_t nth = std::get<4>(key);
    const std::string label = label_of(*kernel) + (nth ? " #" + std::to_string(nth + 1) : "");
    const auto at = in_b.find(key);
    if (at == in_b.end()) {
      to.only_in_a.push_back(label);
      continue;
    }
    Comparison comparison = compare(label, kernel->seconds, at->second->seconds);
    comparison.layers = kernel->layers;
    to.kernels.push_back(std::move(comparison));
    in_b.erase(at);
  }
  for (const auto& [key, kernel] : of_b)
    if (in_b.count(key)) to.only_in_b.push_back(label_of(*kernel));
}

std::string machine_text(const meter::Machine& machine) {
  return machine.architecture + ", '" + printable(machine.processor) + "', " + std::to_string(machine.cpus) + " CPUs";
}

/// Differences that make times incomparable, one sentence each.
std::vector<std::string> obstacles(const Results& a, const Results& b) {
  std::vector<std::string> found;
  if (a.subject.sha256 != b.subject.sha256)
    found.push_back("A measured '" + printable(a.subject.model) + "' (sha256 " + printable(a.subject.sha256.substr(0, 12)) + "), B '" +
                    printable(b.subject.model) + "' (" + printable(b.subject.sha256.substr(0, 12)) + "): other models");
  if (a.machine.architecture != b.machine.architecture || a.machine.processor != b.machine.processor || a.machine.cpus != b.machine.cpus)
    found.push_back("A was measured on " + machine_text(a.machine) + ", B on " + machine_text(b.machine) + ": other machines");
  return found;
}

}  // namespace

const char* name(Change change) {
  switch (change) {
    case Change::kSlower: return "slower";
    case Change::kFaster: return "faster";
    case Change::kSmall: return "small";
    case Change::kNone: break;
  }
  return "none";
}

Result<Diff> diff(const Results& a, const Results& b, const DiffOptions& options) {
  Diff result;
  for (std::string& obstacle : obstacles(a, b)) {
    if (!options.force) return Error{Fault::kUsage, obstacle + "; --force compares them all the same"};
    result.notes.push_back(std::move(obstacle));
  }
  const engine::EngineIdentity &first = a.subject.engine, &second = b.subject.engine;
  if (first.kind != second.kind || first.version != second.version || first.sha256 != second.sha256)
    result.notes.push_back("other engines: A " + printable(first.kind + " " + first.version) + " (sha256 " + printable(first.sha256.substr(0, 12)) +
                           "), B " + printable(second.kind + " " + second.version) + " (" + printable(second.sha256.substr(0, 12)) + ")");
  if (a.subject.kernels != b.subject.kernels || a.subject.options != b.subject.options)
    result.notes.push_back("other options: A '" + printable(a.subject.kernels + " " + a.subject.options) + "', B '" +
                           printable(b.subject.kernels + " " + b.subject.options) + "'");
  for (const auto& [results, which] : {std::pair(&a, "A"), {&b, "B"}})
    if (results->stopped) result.notes.push_back(std::string(which) + " was stopped by the user before it was complete");

  for (const Configuration& in_a : a.configurations) {
    const auto in_b = std::find_if(b.configurations.begin(), b.configurations.end(),
                                   [&](const Configuration& one) { return one.name == in_a.name; });
    if (in_b == b.configurations.end()) {
      result.notes.push_back("'" + printable(in_a.name) + "' is only in A");
      continue;
    }
    ConfigurationDiff one;
    one.name = in_a.name;
    one.quiet = has_quiet(in_a) && has_quiet(*in_b);
    one.overall = compare("inference", latencies(in_a, one.quiet), latencies(*in_b, one.quiet));
    if (in_a.offline && in_b->offline && in_a.offline->samples_per_second > 0)
      one.throughput_ratio = in_b->offline->samples_per_second / in_a.offline->samples_per_second;
    if (in_a.profile && in_b->profile)
      compare_kernels(in_a, *in_b, one);
    else if (in_a.profile || in_b->profile)
      result.notes.push_back("'" + printable(one.name) + "': only " + (in_a.profile ? "A" : "B") + " has layer times");
    if (std::min(one.overall.runs_a, one.overall.runs_b) == 0)
      return Error{Fault::kCorrupt, "'" + printable(one.name) + "' has no runs in " + (one.overall.runs_a == 0 ? "A" : "B") + ": there is nothing to compare"};
    if (std::min(one.overall.runs_a, one.overall.runs_b) < kFewest)
      result.notes.push_back("'" + printable(one.name) + "': fewer than 5 runs cannot tell a change from chance");
    result.configurations.push_back(std::move(one));
  }
  for (const Configuration& in_b : b.configurations)
    if (std::none_of(a.configurations.begin(), a.configurations.end(), [&](const Configuration& one) { return one.name == in_b.name; }))
      result.notes.push_back("'" + printable(in_b.name) + "' is only in B");
  if (result.configurations.empty())
    return Error{Fault::kUsage, "the two files have no configuration in common: measure both with the same --threads, --cpus, --batch and --scenario"};

  std::vector<Comparison*> overall;
  for (ConfigurationDiff& one : result.configurations) overall.push_back(&one.overall);
  adjust(overall);
  for (ConfigurationDiff& one : result.configurations) {
    one.overall.change = judged(one.overall, options, 0);
    std::vector<Comparison*> kernels;
    for (Comparison& kernel : one.kernels) kernels.push_back(&kernel);
    adjust(kernels);
    for (Comparison& kernel : one.kernels) kernel.change = judged(kernel, options, options.layer_floor * one.overall.a);
    result.slower += one.overall.change == Change::kSlower;
    for (const Comparison& kernel : one.kernels) result.slower += kernel.change == Change::kSlower;
  }
  return result;
}

}  // namespace edgeprobe::bench
