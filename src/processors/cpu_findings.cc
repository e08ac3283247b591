// SPDX-License-Identifier: Apache-2.0
#include "processors/cpu_findings.h"

#include <algorithm>

#include "core/cpu_list.h"
#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::processors {
namespace {

/// CPUs of each cluster that run pieces of a divided model.
constexpr std::size_t kPieceCpus = 2;

Finding offline(const Host& host, const Cpus& cpus) {
  Finding finding{Severity::kWarning,
                  "cpus_offline",
                  cpus_text(cpus.offline) + (cpus.offline.size() == 1 ? " is" : " are") +
                      " switched off, by hand, to save power or because the device was hot.",
                  "Switch them on; where the system does so itself, keep it awake and cool.",
                  {}};
  for (const int cpu : cpus.offline)
    finding.commands.push_back(
        as_root(host, "echo 1 > /sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online"));
  return finding;
}

Finding hidden(const Host& host, const Cpus& cpus) {
  const std::string these = cpus_text(cpus.hidden) + (cpus.hidden.size() == 1 ? " is" : " are");
  if (cpus.hidden_by.empty())
    return {Severity::kWarning,
            "cpus_hidden",
            these +
                " not in the affinity of this process: a shell, taskset or a service manager "
                "set it.",
            "Give this shell all CPUs, and start edgeprobe from it.",
            {"taskset -p " + cpu_mask_text([&] {
               std::vector<int> all = cpus.usable();
               all.insert(all.end(), cpus.hidden.begin(), cpus.hidden.end());
               return all;
             }()) +
             " $$"}};
  Finding finding{Severity::kWarning,
                  "cpus_hidden",
                  these + " kept from this process by " + cpus.hidden_by + ".",
                  "Start it in a group that has them; a container is started with --cpuset-cpus.",
                  {}};
  // $$ is the current shell's id, so it is expanded before another shell starts.
  const std::string enter = "echo $$ > " + shell_word(cpus.members);
  finding.commands = {host.is_root        ? enter
                      : host.is_android() ? "su -c \"" + enter + "\""
                                          : "echo $$ | sudo tee " + shell_word(cpus.members)};
  return finding;
}

std::string bench_command(const Cluster& cluster) {
  return "edgeprobe bench MODEL --cpus " + cpu_list_text(cluster.usable) + " --threads " +
         std::to_string(cluster.usable.size());
}

/// How long fast CPUs wait for slow ones, by the kernel's capacities; "" if it reports none.
std::string waiting_text(const std::vector<Cluster>& mixed) {
  const Cluster& fast = mixed.front();
  const Cluster& slow = mixed.back();
  if (!fast.capacity || !slow.capacity) return "";
  const double ratio = static_cast<double>(*slow.capacity) / static_cast<double>(*fast.capacity);
  return "; of the same work a " + fast.name + " CPU takes " + percent(ratio, 0) + " of a " +
         slow.name + " one's time and waits for the rest";
}

/// The CPUs that a cluster-aware kernel assigns to N busy threads: the fastest first.
std::vector<int> placed(const std::vector<Cluster>& clusters, std::size_t threads) {
  std::vector<int> cpus;
  for (const Cluster& cluster : clusters)
    for (const int cpu : cluster.usable)
      if (cpus.size() < threads) cpus.push_back(cpu);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

void add_cure(const std::vector<Cluster>& clusters, Finding& finding) {
  for (const Cluster& cluster : clusters) finding.commands.push_back(bench_command(cluster));
  finding.commands.push_back("taskset " + cpu_mask_text(clusters.front().usable) + " PROGRAM");
}

std::string device_entry(const std::string& name, const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : ", ") + std::to_string(cpu);
  return "  - {name: " + name + ", engine: onnxruntime, cpus: [" + list + "]" +
         (cpus.size() > 1 ? ", threads: " + std::to_string(cpus.size()) : "") + "}\n";
}

}  // namespace

std::vector<Finding> cpu_findings(const Host& host, const Cpus& cpus) {
  std::vector<Finding> findings;
  if (!cpus.offline.empty()) findings.push_back(offline(host, cpus));
  if (!cpus.hidden.empty()) findings.push_back(hidden(host, cpus));
  const std::vector<int> usable = cpus.usable();
  if (usable.size() == 1)
    findings.push_back({Severity::kProblem,
                        "one_cpu",
                        "This process has one CPU: only a GPU can work in parallel.",
                        "Give it more, or run edgeprobe on the device that the model is for.",
                        {}});
  if (cpus.quota && *cpus.quota < static_cast<double>(usable.size()))
    findings.push_back(
        {Severity::kWarning,
         "cpu_quota",
         "A cgroup allows " + number(*cpus.quota) + " CPUs' worth of time on " +
             std::to_string(usable.size()) +
             " CPUs; a process that uses it up stops for the rest of each period, mostly 100 ms.",
         "Measure without the limit: a container is started without --cpus and with --cpuset-cpus.",
         {as_root(host, std::string("echo ") +
                            (cpus.quota_file.ends_with("cpu.max") ? "max" : "-1") + " > " +
                            shell_word(cpus.quota_file))}});
  if (!cpus.threads.empty()) {
    std::vector<int> one_each = usable;
    for (const std::vector<int>& core : cpus.threads)
      std::erase_if(one_each, [&](int cpu) {
        return cpu != core.front() && std::find(core.begin(), core.end(), cpu) != core.end();
      });
    findings.push_back({Severity::kNote,
                        "shared_cores",
                        cpus_text(cpus.threads.front()) + " are two threads of one core" +
                            (cpus.threads.size() > 1 ? ", and so are others" : "") +
                            ": while both run, each is slower.",
                        "Take one CPU of each core.",
                        {"edgeprobe stretch search MODEL --cpus " + cpu_list_text(one_each)}});
  }
  return findings;
}

std::vector<Finding> mixture_findings(const Cpus& cpus, const Choice& choice) {
  const bool chosen = !choice.cpus.empty();
  const std::vector<Cluster> clusters = clusters_of(cpus, chosen ? choice.cpus : cpus.usable());
  std::size_t all = 0;
  for (const Cluster& cluster : clusters) all += cluster.usable.size();
  std::vector<Finding> findings;
  if (at(choice.threads) > all && all > 0)
    findings.push_back({Severity::kProblem,
                        "too_many_threads",
                        std::to_string(choice.threads) + " threads on " + std::to_string(all) +
                            (all == 1 ? " CPU" : " CPUs") +
                            ": at the end of each layer all wait for one that has no CPU.",
                        "Take as many threads as CPUs, or fewer.",
                        {"edgeprobe bench MODEL --threads " + std::to_string(all)}});
  if (clusters.size() < 2) return findings;
  const std::size_t fast = clusters.front().usable.size();
  if (choice.threads > 0 && at(choice.threads) <= fast && !chosen) {
    Finding fits{
        Severity::kNote,
        "unpinned_threads",
        std::to_string(choice.threads) + (choice.threads == 1 ? " thread fits" : " threads fit") +
            " the " + clusters.front().name + " CPUs " + cpu_list_text(clusters.front().usable) +
            ", but nothing pins them: the kernel moves them when other programs need these CPUs.",
        "Pin them, in this and other programs:",
        {}};
    fits.commands = {"edgeprobe bench MODEL --cpus " + cpu_list_text(clusters.front().usable) +
                         " --threads " + std::to_string(choice.threads),
                     "taskset " + cpu_mask_text(clusters.front().usable) + " PROGRAM"};
    findings.push_back(std::move(fits));
    return findings;
  }
  // Without a number of threads, assume four, as in mobile benchmarks, if four already mix
  // clusters; or else one for each CPU.
  const std::size_t threads = choice.threads > 0                ? std::min(at(choice.threads), all)
                              : !chosen && fast < 4 && all >= 4 ? 4
                                                                : all;
  const std::vector<int> where = placed(clusters, threads);
  const std::vector<Cluster> mixed = chosen ? clusters : clusters_of(cpus, where);
  Finding finding{
      Severity::kWarning,
      "mixed_clusters",
      chosen
          ? cpus_text(choice.cpus) + " are " + mixture(cpus, choice.cpus) +
                ": an engine gives each thread the same share of a layer, and the fast CPUs wait "
                "for the slow ones at its end" +
                waiting_text(mixed) + "."
          : std::to_string(threads) + " threads run on " + mixture(cpus, where) +
                ": an engine gives each the same share of a layer, and the fast CPUs wait for "
                "the slow ones at its end" +
                waiting_text(mixed) +
                ". Which CPUs they get changes from run to run, and latencies with it.",
      "Keep an engine on one cluster, and compare; other programs are given a mask. stretch search "
      "takes the clusters as processors (--device, the file below).",
      {}};
  add_cure(mixed, finding);
  findings.push_back(std::move(finding));
  return findings;
}

std::string device_yaml(const Cpus& cpus) {
  const std::vector<Cluster> clusters = clusters_of(cpus, cpus.usable());
  if (clusters.size() < 2) return "";
  std::string text = "device: 1\nprocessors:  # litert in the place of onnxruntime for a .tflite\n";
  for (const Cluster& cluster : clusters)
    for (std::size_t i = 0; i < std::min(kPieceCpus, cluster.usable.size()); ++i) {
      const int cpu = cluster.usable[cluster.usable.size() - 1 - i];
      text += device_entry(cluster.name + " cpu" + std::to_string(cpu), {cpu});
    }
  for (const Cluster& cluster : clusters)
    if (cluster.usable.size() > 1) text += device_entry("all " + cluster.name, cluster.usable);
  return text;
}

}  // namespace edgeprobe::processors
