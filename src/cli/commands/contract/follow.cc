// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/contract/follow.h"

#include <signal.h>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/options/data_flags.h"
#include "cli/terminal/progress.h"
#include "core/text.h"
#include "process/child.h"
#include "trace/read/first_frames.h"

namespace edgeprobe::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kFollowedFrames = 8;
// Short enough to react to Ctrl-C at once; an app takes longer until its first frames.
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::seconds kGrace{5};
constexpr double kLongestWait = 86'400;

// The app, if this command starts it.
class App {
 public:
  static Result<App> start(const std::vector<std::string>& command) {
    App app;
    if (command.empty()) return app;
    process::Command start;
    start.program = command.front();
    start.arguments = command;
    // The app's standard output goes to standard error, because it is not a result of this program.
    start.descriptors = {{2, 1}, {2, 2}};
    auto child = process::Child::start(start);
    if (!child) return std::move(child.error()).during("'" + sanitized(command.front(), 200) + "'");
    app.child_ = *std::move(child);
    return app;
  }

  bool is_ours() const { return child_.pid() > 0; }
  /// True if it was started here and has exited.
  bool has_ended() {
    const std::atomic<bool> now{true};
    if (is_ours()) exit_ = child_.wait(&now);
    return exit_.has_value();
  }
  std::string exit_text() const { return exit_->text(); }
  /// Stops it with SIGTERM, so that its probe can finish the trace.
  void end() {
    if (!is_ours()) return;
    ::kill(-child_.pid(), SIGTERM);
    child_.end(kGrace);
  }

 private:
  process::Child child_;
  std::optional<process::Exit> exit_;
};

// True for a new file without a complete header.
bool is_beginning(const std::filesystem::path& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure) &&
         std::filesystem::file_size(path, failure) < 8;
}

// Opens the trace once it exists.
Status look(const std::filesystem::path& path, std::size_t wanted,
            std::optional<trace::FirstFrames>& frames) {
  if (!frames) {
    auto opened = trace::FirstFrames::open(path, wanted);
    if (!opened && (opened.error().kind == ErrorKind::kNotFound || is_beginning(path))) return {};
    if (!opened) return std::move(opened.error());
    frames.emplace(*std::move(opened));
  }
  return frames->poll();
}

std::string frames_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " frame" : " frames");
}

Error none_came(const std::string& trace, bool is_there, const std::string& when) {
  return {ErrorKind::kTarget,
          "no frame of '" + sanitized(trace, 400) + "' came " + when + "; " +
              (is_there ? "does the app end its frames, and does its level record them?"
                        : "there is no such file: does the app open its probe with this path?")};
}

}  // namespace

Status check_follow(const FollowFlags& flags, const SubjectFlags& subject) {
  if (!flags.on) {
    if (flags.command.empty()) return {};
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(flags.command.front(), 200) +
                     "': one trace or model is checked; name an app to start after --follow --"};
  }
  if (!(flags.timeout_s > 0) || flags.timeout_s > kLongestWait)
    return Error{ErrorKind::kUsage,
                 "--timeout " + number(flags.timeout_s) + ": expected seconds, at most a day"};
  std::error_code failure;
  if (!flags.command.empty() && std::filesystem::exists(subject.what, failure))
    return Error{ErrorKind::kUsage, "'" + sanitized(subject.what, 400) +
                                        "' exists before the app is started; remove it, or name "
                                        "the trace that this run will write"};
  return {};
}

Result<Followed> follow(const FollowFlags& flags, const SubjectFlags& subject, Terminal& terminal) {
  EP_TRY(auto counted, frames_from(subject.data));
  const std::size_t wanted = counted > 0 ? counted : kFollowedFrames;
  EP_TRY(auto folder, check::trace_folder(""));
  EP_TRY(auto app, App::start(flags.command));
  const auto until = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                               std::chrono::duration<double>(flags.timeout_s));
  std::optional<trace::FirstFrames> frames;
  std::string early;
  bool over = false;  // The app exited before writing the requested number of frames.
  {
    Progress progress(terminal, "waiting for frames");
    while (true) {
      const bool ended = app.has_ended(), late = steady_clock::now() >= until;
      EP_CHECK(look(subject.what, wanted, frames));
      if (frames && frames->is_complete()) break;
      if (ended || late) {
        over = ended;
        early = ended ? "before the app ended (" + app.exit_text() + ")"
                      : "in " + number(flags.timeout_s) + " s";
        break;
      }
      if (terminal.stopped()) {
        app.end();
        return interrupted();
      }
      progress.show(frames ? frames->count() : 0, wanted, subject.what);
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  app.end();
  if (!frames || frames->count() == 0)
    return none_came(subject.what, frames.has_value(),
                     early.empty() ? "before it was finished" : early);
  if (!early.empty())
    terminal.err << frames_text(frames->count()) << " of " << wanted << " came " << early
                 << "; what came is judged\n";
  Followed followed{std::move(folder), {}, frames->goes_on() && !over};
  followed.trace = followed.folder.path / "first_frames.mcap";
  if (auto done = frames->copy(followed.trace); !done)
    return followed.folder.without_advice(std::move(done.error()));
  return followed;
}

}  // namespace edgeprobe::cli
