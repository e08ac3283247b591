// SPDX-License-Identifier: Apache-2.0
#include "meter/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

/// "key<blanks>: value" lines, as in /proc/cpuinfo and /proc/meminfo; repeated keys keep their
/// order.
std::multimap<std::string, std::string> fields_of(const std::string& text) {
  std::multimap<std::string, std::string> fields;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    fields.emplace(line.substr(0, end + 1), value == std::string::npos ? "" : line.substr(value));
  }
  return fields;
}

std::optional<double> kilobytes(const std::multimap<std::string, std::string>& fields,
                                const std::string& key) {
  const auto at = fields.find(key);
  if (at == fields.end()) return std::nullopt;
  const auto value = whole_number(at->second.substr(0, at->second.find(" kB")));
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

bool is_cpu(const std::string& name) {
  return name.size() > 3 && name.compare(0, 3, "cpu") == 0 &&
         name.find_first_not_of("0123456789", 3) == std::string::npos;
}

}  // namespace

std::vector<Reading> load_average(const Root& root) {
  const auto text = read_text(root / "proc/loadavg");
  std::istringstream words(text ? *text : "");
  std::vector<Reading> readings;
  for (const char* const minutes : {"1", "5", "15"}) {
    std::string word;
    words >> word;
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    std::string name = std::string("load, ") + minutes + " min";
    if (!text) readings.push_back(unknown(std::move(name), "", "/proc/loadavg", text.error().what));
    else if (word.empty() || *end != '\0' || !std::isfinite(value) || value < 0)
      readings.push_back(unknown(std::move(name), "", "/proc/loadavg",
                                 "'" + sanitized(word, 40) + "' is not a load"));
    else readings.push_back(known(std::move(name), "", value, "/proc/loadavg"));
  }
  return readings;
}

std::vector<Reading> frequency(const Root& root) {
  const std::string folder = "sys/devices/system/cpu";
  std::vector<Reading> readings;
  if (const auto names = entries(root / folder))
    for (const std::string& name : *names) {
      if (!is_cpu(name)) continue;
      const std::string file = folder + "/" + name + "/cpufreq/";
      Reading now = from_file(root, file + "scaling_cur_freq", "frequency " + name, "Hz", 1e3);
      if (!now.value) {
        // The hardware's value, which only root may read on many systems.
        const Reading hardware = from_file(root, file + "cpuinfo_cur_freq", now.name, "Hz", 1e3);
        if (hardware.value) now = hardware;
      }
      readings.push_back(std::move(now));
    }
  if (std::any_of(readings.begin(), readings.end(),
                  [](const Reading& reading) { return reading.value.has_value(); }))
    return readings;
  const auto text = read_text(root / "proc/cpuinfo");
  const auto fields = fields_of(text ? *text : "");
  const auto [from, to] = fields.equal_range("cpu MHz");
  std::size_t cpu = 0;
  std::vector<Reading> nominal;
  for (auto at = from; at != to; ++at, ++cpu) {
    char* end = nullptr;
    const double mhz = std::strtod(at->second.c_str(), &end);
    const std::string name = "frequency cpu" + std::to_string(cpu);
    nominal.push_back(end != at->second.c_str() && mhz > 0
                          ? known(name, "Hz", mhz * 1e6, "/proc/cpuinfo cpu MHz")
                          : unknown(name, "Hz", "/proc/cpuinfo cpu MHz",
                                    "'" + sanitized(at->second, 40) + "' is not a frequency"));
  }
  if (!nominal.empty()) return nominal;
  if (readings.empty())
    readings.push_back(unknown("frequency", "Hz", "/" + folder + "/cpu*/cpufreq", "absent"));
  return readings;
}

Reading memory_used(const Root& root) {
  const char* const name = "memory in use";
  const char* const source = "/proc/meminfo";
  const auto text = read_text(root / "proc/meminfo");
  if (!text) return unknown(name, "%", source, text.error().what);
  const auto fields = fields_of(*text);
  const auto all = kilobytes(fields, "MemTotal");
  const auto free = kilobytes(fields, "MemAvailable");
  if (!all || !free || *all <= 0 || *free > *all)
    return unknown(name, "%", source, "MemTotal and MemAvailable are missing");
  return known(name, "%", 100 * (*all - *free) / *all, source);
}

std::vector<CpuTicks> cpu_ticks(const Root& root) {
  std::vector<CpuTicks> cpus;
  const auto text = read_text(root / "proc/stat");
  if (!text) return cpus;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!is_cpu(name)) continue;
    // user nice system idle iowait irq softirq steal; the guest times that follow are included in
    // the first two.
    CpuTicks ticks;
    std::int64_t value = 0;
    for (int field = 0; field < 8 && words >> value; ++field) {
      ticks.all += value;
      if (field != 3 && field != 4) ticks.busy += value;
    }
    cpus.push_back(ticks);
  }
  return cpus;
}

std::vector<std::optional<double>> busy_percent(const std::vector<CpuTicks>& before,
                                                const std::vector<CpuTicks>& after) {
  std::vector<std::optional<double>> shares;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const auto all = after[i].all - before[i].all;
    const auto busy = after[i].busy - before[i].busy;
    // iowait may decrease (proc(5)), and busy may then exceed the total.
    if (all <= 0 || busy < 0) shares.emplace_back(std::nullopt);
    else
      shares.emplace_back(
          std::min(100.0, 100.0 * static_cast<double>(busy) / static_cast<double>(all)));
  }
  return shares;
}

Machine machine(const Root& root) {
  Machine machine;
  utsname system{};
  if (::uname(&system) == 0) {
    machine.architecture = system.machine;
    machine.kernel = system.release;
  }
  const auto cpuinfo = read_text(root / "proc/cpuinfo");
  const auto fields = fields_of(cpuinfo ? *cpuinfo : "");
  for (const char* const key : {"model name", "Model", "Hardware", "CPU part"})
    if (const auto at = fields.find(key); at != fields.end() && machine.processor.empty())
      machine.processor = sanitized(at->second, 80);
  const auto meminfo = read_text(root / "proc/meminfo");
  if (meminfo)
    if (const auto kb = kilobytes(fields_of(*meminfo), "MemTotal"); kb && *kb > 0)
      machine.memory_bytes = static_cast<std::uint64_t>(*kb) * 1024;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) machine.cpus = CPU_COUNT(&set);
  return machine;
}

}  // namespace edgeprobe::meter
