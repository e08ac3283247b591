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

/// The devices behind a folder of traces: which of them fail, and by which rule.
namespace edgeprobe::cli {

/// Traces that the user calls failing; nothing without a list.
using FailingList = std::optional<std::set<std::string>>;
/// Lines of a file; blank ones and those that begin with '#' are skipped.
Result<FailingList> failing_from(const std::string& path);

/// One trace on its way into the fleet.
struct FleetTrace {
  std::filesystem::path path;
  std::string shown;  ///< Below the folder.
};

class FleetBuilder {
 public:
  explicit FleetBuilder(FailingList listed) : listed_(std::move(listed)) {}

  /// `against`: the reference's outputs and this trace's; null without a reference. Fails when the
  /// trace cannot be read.
  Status add(const FleetTrace& trace, const trace::Reader& reader,
             const compare::Agreement* against);
  /// Nothing when no trace tells whether it fails. kUsage when the list names a trace that is not
  /// there.
  Result<std::optional<report::Fleet>> finish();

 private:
  FailingList listed_;
  std::set<std::string> found_;     // of the list
  std::vector<std::string> names_;  // by which a trace may be listed
  std::vector<fleet::Recording> recordings_;
  std::vector<report::UnknownDevice> unknown_;
  std::size_t by_verdict_ = 0, by_reference_ = 0;
};

}  // namespace edgeprobe::cli
