// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_fleet.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "cli/commands/compare/compare_result.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestVerdict = 256u << 20;

// The outcome of a verdict next to the trace (NAME.json, of `check` or `diagnose`); "" if there is
// none.
std::string verdict_beside(const fs::path& trace) {
  fs::path path = trace;
  path.replace_extension(".json");
  std::error_code failure;
  if (!fs::is_regular_file(path, failure) || fs::file_size(path, failure) > kLargestVerdict)
    return "";
  const auto bytes = read_file(path);
  if (!bytes) return "";
  const auto json = nlohmann::json::parse(ByteView(*bytes).text(), nullptr, false);
  if (!json.is_object() || !json.contains("schema_version") || !json.contains("verdict")) return "";
  return json["verdict"].is_string() ? json["verdict"].get<std::string>() : "";
}

std::string rule_of(bool is_listed, std::size_t by_verdict, std::size_t by_reference) {
  if (is_listed) return "A device fails where its trace is listed (--failing).";
  const std::string verdict = "its verdict (NAME.json next to NAME.mcap) says 'differs'",
                    reference = "'edgeprobe compare' with the reference says 'differs'";
  if (by_reference == 0) return "A device fails where " + verdict + ".";
  if (by_verdict == 0) return "A device fails where " + reference + ".";
  return "A device fails where " + verdict + ", without one where " + reference + ".";
}

}  // namespace

Result<FailingList> failing_from(const std::string& path) {
  if (path.empty()) return FailingList();
  const auto bytes = read_file(path);
  if (!bytes) return Error(bytes.error()).during("--failing");
  std::set<std::string> names;
  std::istringstream lines{std::string(ByteView(*bytes).text())};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_last_not_of(" \t\r");
    if (end == std::string::npos || line[0] == '#') continue;
    names.insert(line.substr(0, end + 1));
  }
  if (names.empty())
    return Error{ErrorKind::kUsage, "--failing '" + sanitized(path, 200) +
                                        "' names no trace; give one a line, e.g. phone_07.mcap"};
  return FailingList(std::move(names));
}

Status FleetBuilder::add(const FleetTrace& trace, const trace::Reader& reader,
                         const compare::Agreement* against) {
  EP_TRY(auto facts, fleet::facts_of(reader));
  fleet::Recording recording{trace.shown, std::move(facts), std::nullopt};
  std::string why = "no reference, and no verdict next to it";
  if (listed_) {
    recording.fails = false;
    for (const std::string& name : {trace.shown, trace.path.filename().string(),
                                    trace.path.stem().string(), recording.facts.device}) {
      if (name.empty()) continue;
      names_.push_back(name);
      if (!listed_->contains(name)) continue;
      recording.fails = true;
      found_.insert(name);
    }
  } else if (const std::string verdict = verdict_beside(trace.path); !verdict.empty()) {
    ++by_verdict_;
    if (verdict == "differs" || verdict == "agrees") recording.fails = verdict == "differs";
    else why = "its verdict is '" + sanitized(verdict, 40) + "'";
  } else if (against) {
    ++by_reference_;
    const Decision decision = decide(*against, {});
    if (decision.outcome != Outcome::kUndecided)
      recording.fails = decision.outcome == Outcome::kDiffers;
    else why = decision.headline;
  }
  if (!recording.fails) unknown_.push_back({trace.shown, why});
  recordings_.push_back(std::move(recording));
  return {};
}

Result<std::optional<report::Fleet>> FleetBuilder::finish() {
  if (listed_)
    for (const std::string& name : *listed_)
      if (!found_.contains(name)) {
        const std::string near = closest_match(name, names_);
        return Error{ErrorKind::kUsage,
                     "--failing names '" + sanitized(name, 200) +
                         "', but no trace here has that name" +
                         (near.empty() ? "" : "; did you mean '" + sanitized(near, 200) + "'?")};
      }
  std::vector<fleet::Device> devices = fleet::devices_of(recordings_);
  if (devices.empty()) return std::optional<report::Fleet>();
  return std::optional(report::Fleet{rule_of(listed_.has_value(), by_verdict_, by_reference_),
                                     fleet::study_of(std::move(devices)), std::move(unknown_)});
}

}  // namespace edgeprobe::cli
