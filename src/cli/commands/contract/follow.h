// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "check/trace_folder.h"
#include "cli/commands/contract/subject.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// For `contract check --follow`: the trace is judged while the app writes it.
struct FollowFlags {
  bool on = false;
  double timeout_s = 60;
  /// The app and its arguments, started and stopped with the check. Empty: it is already running.
  std::vector<std::string> command;
};

/// kUsage for a command without --follow, an invalid time, and a trace that exists before its app
/// is started.
Status check_follow(const FollowFlags& flags, const SubjectFlags& subject);

/// The first frames of a running app, as a separate trace.
struct Followed {
  check::TraceFolder folder;
  std::filesystem::path trace;
  bool goes_on = false;  ///< The recording has or may get more frames.
};

/// Waits until `subject.what` has the frames (--frames of `subject.data`, else 8), or it is
/// finished, the app has exited, or the time is over; then takes what has arrived. An app started
/// here gets SIGTERM, and SIGKILL five seconds later. kTarget if no frame arrived, kInterrupted if
/// stopped.
Result<Followed> follow(const FollowFlags& flags, const SubjectFlags& subject, Terminal& terminal);

}  // namespace edgeprobe::cli
