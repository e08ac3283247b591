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

/// Of `contract check --follow`: the app writes its trace while it is judged.
struct FollowFlags {
  bool on = false;
  double timeout_s = 60;
  /// The app and its arguments, started here and ended with the check. Empty: it runs already.
  std::vector<std::string> command;
};

/// kUsage for a command without --follow, a time that is none, and a trace that is there before its
/// app is started.
Status check_follow(const FollowFlags& flags, const SubjectFlags& subject);

/// The first frames of a running app, as a trace of their own.
struct Followed {
  check::TraceFolder folder;
  std::filesystem::path trace;
  bool goes_on = false;  ///< They are not the whole recording.
};

/// Waits until `subject.what` has the frames (--frames of `subject.data`, else 8), or it is
/// finished, the app has ended, or the time is over; then what came is taken. An app that was
/// started here gets SIGTERM, and SIGKILL five seconds later. kTarget when no frame came,
/// kInterrupted when stopped.
Result<Followed> follow(const FollowFlags& flags, const SubjectFlags& subject, Terminal& terminal);

}  // namespace edgeprobe::cli
