// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/result.h"
#include "fleet/study.h"
#include "report/text/fleet.h"
#include "trace/read/reader.h"

/// The devices that recorded a folder of traces: which of them fail, and by which rule.
namespace edgeprobe::cli {

/// Traces that the user lists as failing; unset without a list.
using FailingList = std::optional<std::set<std::string>>;
/// Lines of a file; skips blank ones and those that begin with '#'.
Result<FailingList> failing_from(const std::string& path);

/// One trace to be added to the fleet.
struct FleetTrace {
  std::filesystem::path path;
  std::string shown;  ///< The trace's path below the folder.
};

class FleetBuilder {
 public:
  explicit FleetBuilder(FailingList listed) : listed_(std::move(listed)) {}

  /// `against`: agreement of the reference's outputs and this trace's; null without a reference.
  /// Fails if the trace cannot be read.
  Status add(const FleetTrace& trace, const trace::Reader& reader,
             const compare::Agreement* against);
  /// Returns nothing if no trace shows whether it fails. kUsage if the list names a missing trace.
  Result<std::optional<report::Fleet>> finish();

 private:
  FailingList listed_;
  std::set<std::string> found_;     // entries of the list that were found
  std::vector<std::string> names_;  // names under which a trace may be listed
  std::vector<fleet::Recording> recordings_;
  std::vector<report::UnknownDevice> unknown_;
  std::size_t by_verdict_ = 0, by_reference_ = 0;
};

}  // namespace edgeprobe::cli
