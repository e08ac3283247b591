// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/tool_process.h"

#include <algorithm>
#include <cstring>

#include "core/bytes.h"
#include "core/text.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/shared_memory.h"
#include "process/wait.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostOutput = std::size_t{16} << 20;
constexpr std::size_t kMostErrors = std::size_t{64} << 10;

/// Passes on the lines that have arrived and forgets them, but for the last 64 KiB.
class Listener {
 public:
  explicit Listener(const std::function<void(const std::string&)>& heard) : heard_(heard) {}

  void take(process::Output& output) {
    kept_ += output.take();
    for (std::size_t end; heard_ && (end = kept_.find('\n', passed_)) != std::string::npos;
         passed_ = end + 1)
      heard_(kept_.substr(passed_, end - passed_));
    if (kept_.size() <= kMostErrors) return;
    const std::size_t old = kept_.size() - kMostErrors;
    kept_.erase(0, old);
    passed_ -= std::min(passed_, old);
  }
  const std::string& text() const { return kept_; }

 private:
  const std::function<void(const std::string&)>& heard_;
  std::string kept_;
  std::size_t passed_ = 0;  ///< Bytes of lines that were passed on.
};

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& words, const std::string& input,
                         const Control& control,
                         const std::function<void(const std::string& line)>& heard) {
  const std::string shown = "'" + sanitized(words.front(), 200) + "'";
  EP_TRY(auto given, process::SharedMemory::create(input.size(), "edgeprobe request"));
  if (!input.empty()) std::memcpy(given.data(), input.data(), input.size());
  auto out = process::pipe_from_child(), errors = process::pipe_from_child();
  if (!out || !errors) return std::move(out ? errors : out).error().during("no pipe");
  process::Command command;
  command.program = words.front();
  command.arguments = words;
  command.descriptors = {
      {given.descriptor(), 0}, {out->theirs.get(), 1}, {errors->theirs.get(), 2}};
  auto child = process::Child::start(command);
  if (!child)
    return Error{ErrorKind::kNotFound, shown + " cannot be started: " + child.error().what};
  out->theirs.close();
  errors->theirs.close();

  process::Output output(std::move(out->ours), kMostOutput),
      said(std::move(errors->ours), kMostErrors);
  Listener listener(heard);
  const auto read = process::read_to_end({&output, &said}, {process::kForever, control.stop},
                                         [&] { listener.take(said); });
  listener.take(said);
  const auto exit = read == process::Transfer::kStopped ? std::nullopt : child->wait(control.stop);
  // If it has not exited, the child and all its processes are stopped when it goes out of scope
  // here.
  if (!exit) return Error{ErrorKind::kInterrupted, shown + " was stopped by the user"};
  ToolRun run;
  run.output = output.take();
  run.last_words = last_line(listener.text(), 400);
  if (exit->signal)
    return Error{ErrorKind::kTarget,
                 shown + " crashed with " + exit->name() +
                     (run.last_words.empty() ? "" : "; it last said: " + run.last_words)};
  run.exit_code = exit->code;
  return run;
}

}  // namespace edgeprobe::cli
