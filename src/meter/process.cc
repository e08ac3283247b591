// SPDX-License-Identifier: Apache-2.0
#include "meter/process.h"

#include <unistd.h>

#include <sstream>

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

/// The kB of "KEY:   123 kB" in a /proc file, as bytes.
Reading kilobytes(const Root& root, const std::string& inside, const std::string& key,
                  std::string name) {
  const std::string source = "/" + inside + " " + key;
  const auto text = read_text(root / inside);
  if (!text) return unknown(std::move(name), "B", source, text.error().what);
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size() + 1, key + ":") != 0) continue;
    std::string value = line.substr(key.size() + 1);
    const std::size_t unit = value.rfind(" kB");
    const auto kb = whole_number(value.substr(0, unit));
    if (unit == std::string::npos || !kb || *kb < 0)
      return unknown(std::move(name), "B", source,
                     "'" + sanitized(line, 60) + "' is not a size in kB");
    return known(std::move(name), "B", static_cast<double>(*kb) * 1024, source);
  }
  return unknown(std::move(name), "B", source, "the kernel does not report " + key);
}

/// Field `number` of /proc/PID/stat, counted from 1 as in proc(5).
Reading stat_time(const Root& root, const std::string& process, std::size_t number,
                  std::string name) {
  const std::string inside = "proc/" + process + "/stat";
  const std::string source = "/" + inside + " field " + std::to_string(number);
  const auto text = read_text(root / inside);
  if (!text) return unknown(std::move(name), "s", source, text.error().what);
  // The name of the program, field 2, is in parentheses and may contain blanks and parentheses
  // itself.
  const std::size_t bracket = text->rfind(')');
  if (bracket == std::string::npos)
    return unknown(std::move(name), "s", source, "it does not have the format of proc(5)");
  std::istringstream fields(text->substr(bracket + 1));
  std::string field;
  for (std::size_t at = 3; at <= number; ++at)
    if (!(fields >> field)) field.clear();
  const auto ticks = whole_number(field);
  const long rate = ::sysconf(_SC_CLK_TCK);
  if (!ticks || *ticks < 0 || rate <= 0)
    return unknown(std::move(name), "s", source,
                   "'" + sanitized(field, 40) + "' is not a number of ticks");
  return known(std::move(name), "s", static_cast<double>(*ticks) / static_cast<double>(rate),
               source);
}

}  // namespace

Reading resident_memory(const Root& root, const std::string& process) {
  return kilobytes(root, "proc/" + process + "/status", "VmRSS", "resident memory");
}
Reading peak_memory(const Root& root, const std::string& process) {
  return kilobytes(root, "proc/" + process + "/status", "VmHWM", "peak memory");
}
Reading proportional_memory(const Root& root, const std::string& process) {
  return kilobytes(root, "proc/" + process + "/smaps_rollup", "Pss", "proportional memory");
}
Reading user_time(const Root& root, const std::string& process) {
  return stat_time(root, process, 14, "user time");
}
Reading system_time(const Root& root, const std::string& process) {
  return stat_time(root, process, 15, "system time");
}

}  // namespace edgeprobe::meter
