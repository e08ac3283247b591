// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/recorded.h"

#include <cstdio>
#include <ctime>

#include "core/clock.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

/// Each unit is used up to `limit` seconds: "90 minutes" is more precise than "1 hour".
struct Unit {
  std::int64_t limit, seconds;
  const char* name;
};
constexpr Unit kUnits[] = {{120, 1, "second"},
                           {120 * 60, 60, "minute"},
                           {std::int64_t{48} * 3600, 3600, "hour"},
                           {INT64_MAX, 86'400, "day"}};

std::string age_text(std::int64_t seconds) {
  const auto* unit = kUnits;
  while (seconds >= unit->limit) ++unit;
  return counted(static_cast<std::size_t>(seconds / unit->seconds), unit->name) + " ago";
}

}  // namespace

std::string recorded_text(std::string_view started, std::uint64_t now_ns) {
  std::tm parts{};
  const std::string text(started.substr(0, 40));
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6)
    return "";
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::int64_t then = ::timegm(&parts);
  char said[64];
  std::snprintf(said, sizeof said, "%04d-%02d-%02d %02d:%02d UTC", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min);
  const auto now = static_cast<std::int64_t>(now_ns / 1'000'000'000u);
  return then > now ? said : std::string(said) + ", " + age_text(now - then);
}

std::string recorded_text(const trace::Reader& reader) {
  return recorded_text(reader.declared("started").value_or(""), unix_ns());
}

}  // namespace edgeprobe::cli
