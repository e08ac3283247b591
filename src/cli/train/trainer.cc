// SPDX-License-Identifier: Apache-2.0
#include "cli/train/trainer.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"
#include "process/pipe.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostTrainerOutput = std::size_t{64} << 20, kMostTrainerErrors = 1 << 16;
constexpr std::size_t kLongestSentence = 1000;
// For the step that runs and a checkpoint after Ctrl-C.
constexpr std::chrono::seconds kForACheckpoint{120};

ErrorKind kind_of(const std::string& word) {
  constexpr std::array kKinds{ErrorKind::kUsage,   ErrorKind::kNotFound,
                              ErrorKind::kCorrupt, ErrorKind::kUnsupported,
                              ErrorKind::kLimit,   ErrorKind::kInterrupted};
  for (const ErrorKind kind : kKinds)
    if (word == name(kind)) return kind;
  return ErrorKind::kTarget;
}

std::string text_at(const ordered_json& message, const char* key) {
  const auto at = message.find(key);
  return at != message.end() && at->is_string()
             ? sanitized(at->get<std::string>(), kLongestSentence)
             : "";
}

}  // namespace

Result<Trainer> Trainer::start(const char* folder, const std::string& interpreter,
                               Terminal& terminal) {
  EP_TRY(const auto package, process::python_package());
  Trainer made(terminal);
  EP_TRY(auto in, process::socket_pair());
  EP_TRY(auto out, process::pipe_from_child());
  EP_TRY(auto errors, process::pipe_from_child());
  process::Command command;
  command.program = interpreter;
  // -P: a file next to main.py must not replace a package.
  command.arguments = {interpreter, "-P", (package / folder / "main.py").string()};
  command.descriptors = {{in.theirs.get(), 0}, {out.theirs.get(), 1}, {errors.theirs.get(), 2}};
  auto child = process::Child::start(command);
  if (!child) return process::python_cannot_be_started(interpreter, child.error().what);
  made.child_ = *std::move(child);
  made.requests_ = std::move(in.ours);
  made.output_ = std::make_unique<process::Output>(std::move(out.ours), kMostTrainerOutput);
  made.errors_ = std::make_unique<process::Output>(std::move(errors.ours), kMostTrainerErrors);
  return made;
}

std::string Trainer::next_line() {
  while (true) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    if (output_->descriptor() < 0) return "";
    const auto now = process::Clock::now();
    if (terminal_->stopped() && !is_told_) {
      ::kill(child_.pid(), SIGINT);
      is_told_ = true;
      told_ = now;
    }
    if (is_told_ && now - told_ > kForACheckpoint) return "";
    process::Wait wait;
    wait.deadline = now + std::chrono::milliseconds(200);
    wait.beside = errors_.get();
    if (process::wait_for(output_->descriptor(), POLLIN, wait) != process::Transfer::kDone)
      continue;
    output_->drain();
    pending_ += output_->take();
  }
}

Error Trainer::ended() {
  errors_->drain_rest(std::chrono::milliseconds(200));
  const std::string last = last_line(errors_->text(), 400);
  const process::Exit exit = child_.end(std::chrono::milliseconds(500));
  if (is_told_) return interrupted();
  return {ErrorKind::kTarget, "the trainer's process ended with " + exit.text() +
                                  (last.empty() ? "" : "; it last said: " + last) +
                                  "; the same command continues from its last checkpoint"};
}

Result<ordered_json> Trainer::ask(const ordered_json& request, const Listener& listener) {
  const std::string line =
      request.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    // A process that has ended must yield an error, not SIGPIPE.
    const ssize_t done = ::send(requests_.get(), line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return ended();
    at += static_cast<std::size_t>(done);
  }
  while (true) {
    const std::string said = next_line();
    if (said.empty()) return ended();
    const auto message = ordered_json::parse(said, nullptr, /*allow_exceptions=*/false);
    if (!message.is_object()) continue;
    if (const auto at = message.find("answer"); at != message.end()) return *at;
    if (message.contains("error"))
      return Error{kind_of(text_at(message, "kind")), text_at(message, "error")};
    if (const auto at = message.find("progress"); at != message.end() && at->size() == 3)
      listener.progress((*at)[0].get<std::size_t>(), (*at)[1].get<std::size_t>(),
                        sanitized((*at)[2].get<std::string>(), 200));
    else if (const auto row = message.find("row"); row != message.end())
      listener.row(*row, message.value("before", false));
    else if (message.contains("note")) listener.sentence(text_at(message, "note"), false);
    else if (message.contains("warning")) listener.sentence(text_at(message, "warning"), true);
  }
}

}  // namespace edgeprobe::cli
