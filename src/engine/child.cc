// SPDX-License-Identifier: Apache-2.0
#include "engine/child.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/kinds.h"
#include "engine/on_behalf.h"
#include "engine/plugin.h"
#include "engine/worker_process.h"
#include "process/child.h"
#include "process/pipe.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kPrintedKept = 4096;
constexpr std::size_t kLongestRefusal = 2000;
/// Limit for reading what the process printed before it exited: a program that it started may print
/// forever.
constexpr auto kDrainLimit = 100ms;
constexpr auto kStartLimit = 20s;
constexpr auto kCloseLimit = 2s;
/// Time for a late process to report its current step; without a handler it exits at once.
constexpr auto kTellLimit = 200ms;
/// Extra time for an inference that is running when its server stops.
constexpr auto kStopGrace = 2s;

thread_local OnBehalf::Client client_of_thread;

Error cannot_start(const std::string& why) {
  return {ErrorKind::kTarget, "the engine process cannot be started: " + why};
}

void ask_what_runs(pid_t process) {
  if (process > 0) ::kill(process, kTellRunning);
}

std::string limit_text(std::chrono::milliseconds limit) {
  return limit.count() % 1000 == 0 ? std::to_string(limit.count() / 1000) + " s"
                                   : std::to_string(limit.count()) + " ms";
}

Result<process::PluginCommand> worker_command() {
  auto command = process::this_program({"edgeprobe-engine", kWorkerArgument});
  if (!command) return cannot_start(command.error().what);
  command->environment = {std::string(kWorkerVariable) + "=1"};
  // A keyboard interrupt reaches both processes; the worker ignores it and is closed in an orderly
  // way.
  command->own_group = false;
  return process::PluginCommand{*std::move(command), {}, {}};
}

}  // namespace

OnBehalf::OnBehalf(Client client) : before_(std::exchange(client_of_thread, client)) {}
OnBehalf::~OnBehalf() { client_of_thread = before_; }
OnBehalf::Client OnBehalf::current() { return client_of_thread; }

Result<std::unique_ptr<Child>> Child::start(const EngineChoice& choice) {
  const EngineKind* const kind = find_kind(choice.kind);
  if (kind && kind->id == EngineId::kPython) return start_plugin("engine", plugin_python(choice));
  if (::getenv(kWorkerVariable))
    return Error{ErrorKind::kUsage,
                 "an engine process cannot start another one; the program's main() must call "
                 "edgeprobe::engine::run_worker_if_asked() first"};
  EP_TRY(auto command, worker_command());
  return start(std::move(command), false, Prints::kKept);
}

Result<std::unique_ptr<Child>> Child::start_plugin(const std::string& kind,
                                                   const std::string& python, Prints prints) {
  EP_TRY(auto command, process::plugin_command(kind, python));
  return start(std::move(command), true, prints);
}

Result<std::unique_ptr<Child>> Child::start(process::PluginCommand made, bool is_plugin,
                                            Prints prints) {
  auto link = process::socket_pair();
  if (!link) return cannot_start(link.error().what);
  auto errors = process::pipe_from_child();
  if (!errors) return cannot_start(errors.error().what);
  process::Command& command = made.command;
  // Engines print to both streams; neither may mix with this program's results.
  command.descriptors.emplace_back(link->theirs.get(), kWorkerSocket);
  if (prints == Prints::kShown) {
    command.descriptors.emplace_back(STDERR_FILENO, STDOUT_FILENO);
  } else {
    command.descriptors.emplace_back(errors->theirs.get(), STDOUT_FILENO);
    command.descriptors.emplace_back(errors->theirs.get(), STDERR_FILENO);
  }
  auto started = process::Child::start(command);
  if (!started && is_plugin)
    return process::python_cannot_be_started(command.program, started.error().what);
  if (!started) {
    const bool launched = command.program != "/proc/self/exe";
    return cannot_start((launched ? command.program : "posix_spawn") + ": " + started.error().what);
  }
  link->theirs.close();
  errors->theirs.close();
  made.theirs.close();

  std::unique_ptr<Child> child(
      new Child(*std::move(started), Channel(std::move(link->ours)),
                process::Output(std::move(errors->ours), 2 * kPrintedKept)));
  child->lifeline_ = std::move(made.lifeline);
  child->is_plugin_ = is_plugin;
  child->prints_ = prints;
  if (is_plugin)
    child->process_end_ =
        Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child->process_.pid(), 0)));
  Message hello;
  const Broken broken =
      child->channel_.receive(hello, child->within(kStartLimit), wire::kLongestAnswer);
  if (broken != Broken::kNo || hello.step != wire::Step::kHello) {
    child->ended_ = "it did not answer";
    child->printed_.drain_rest(kDrainLimit);
    if (child->is_plugin_)
      return Error{ErrorKind::kNotFound,
                   "'" + sanitized(command.program) + "' ended before it served the plug-in" +
                       child->last_words() + "; name a Python from 3.11 on with --python"};
    return Error{ErrorKind::kTarget,
                 "the engine process did not start; the program's main() must call "
                 "edgeprobe::engine::run_worker_if_asked() first" +
                     child->last_words()};
  }
  return child;
}

Child::Child(process::Child process, Channel channel, process::Output printed)
    : process_(std::move(process)), channel_(std::move(channel)), printed_(std::move(printed)) {}

Child::~Child() {
  if (ended_.empty()) {
    // Gives the engine and its delegates time to close what they opened.
    const process::Wait wait = within(kCloseLimit);
    Message nothing;
    if (channel_.send(wire::Step::kClose, {}, -1, wait) == Broken::kNo)
      static_cast<void>(channel_.receive(nothing, wait, wire::kLongestAnswer));
  }
  process_.end(ended_.empty() ? 100ms : 0ms);
}

process::Wait Child::within(std::chrono::milliseconds limit) {
  const OnBehalf::Client& client = client_of_thread;
  // The user's code may run for long; an engine ends its current inference.
  const auto* const stop = client.stop || !is_plugin_ ? client.stop : process::program_stop;
  return {process::deadline_after(limit),
          stop,
          &printed_,
          kStopGrace,
          client.connection,
          process_end_.get()};
}

std::string Child::last_words() const {
  const std::string& printed = printed_.text();
  if (is_plugin_)
    if (const std::string place = process::python_place(printed); !place.empty())
      return ", " + place;
  // Runtimes start with INFO lines; the reason is in the last lines without that mark.
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < printed.size()) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    const std::string line = printed.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && !line.starts_with("INFO:") && !line.starts_with("VERBOSE:") &&
        !line.starts_with("WARNING:"))
      lines.push_back(line);
  }
  constexpr std::size_t kLines = 3;
  std::string words;
  for (std::size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i)
    words += (words.empty() ? "" : " / ") + lines[i];
  return words.empty() ? "" : "; it printed: " + one_sentence(words);
}

Error Child::end(Broken broken, std::chrono::milliseconds limit, std::string_view doing) {
  // A late process may first report its current step.
  if (broken == Broken::kLate) ask_what_runs(process_.pid());
  // A process whose socket closed is about to exit; a late or garbled one is not.
  const process::Exit exit = process_.end(broken == Broken::kClosed ? 2000ms
                                          : broken == Broken::kLate ? kTellLimit
                                                                    : 0ms);
  printed_.drain_rest(kDrainLimit);
  if (broken == Broken::kStopped) {
    ended_ = is_plugin_ ? "the program was stopped" : "its client is gone or the server stops";
    return {ErrorKind::kInterrupted, std::string(doing) + ": ended, because " + ended_};
  }
  if (broken == Broken::kLate)
    // The user's functions have one limit, that of the flag.
    ended_ = "it took longer than the limit of " + limit_text(limit) + " and was stopped" +
             (prints_ == Prints::kShown ? " (--time-limit)" : "");
  else if (broken == Broken::kGarbled)
    ended_ = "the engine process sent an invalid answer and was stopped";
  else if (broken == Broken::kLong)
    ended_ = "the engine process answered with more bytes than are taken (" +
             bytes_text(static_cast<double>(wire::kLongestResult)) +
             " for outputs of a size that was not known beforehand) and was stopped";
  else
    ended_ = std::string(is_plugin_ ? "its process" : "the engine process") + " ended with " +
             exit.text() +
             (exit.signal == SIGKILL ? ", killed from outside or for lack of memory" : "");
  crashed_ = broken == Broken::kClosed && exit.signal != 0 && exit.signal != SIGKILL;
  ended_ += last_words();
  return {ErrorKind::kTarget, std::string(doing) + ": " + ended_};
}

Result<Bytes> Child::call(wire::Step step, ByteView body, int descriptor,
                          std::chrono::milliseconds limit, std::string_view doing,
                          std::uint64_t longest, std::chrono::milliseconds asked) {
  if (!ended_.empty())
    return Error{ErrorKind::kTarget,
                 std::string(doing) + (is_plugin_ ? ": its process is gone: " + ended_
                                                  : ": this session is over since " + ended_ +
                                                        "; load the model again")};
  printed_.clear();
  const process::Wait wait = within(asked + limit);
  Message reply;
  Broken broken = channel_.send(step, body, descriptor, wait);
  if (broken == Broken::kNo) broken = channel_.receive(reply, wait, longest);
  if (broken == Broken::kNo && reply.step != wire::Step::kReply) broken = Broken::kGarbled;
  if (broken != Broken::kNo) return end(broken, limit, doing);
  wire::Reader in(reply.body);
  const bool succeeded = in.number<std::uint8_t>() != 0;
  if (!succeeded) {
    const auto fault = in.number<std::uint8_t>();
    Error error{fault <= static_cast<std::uint8_t>(ErrorKind::kInterrupted)
                    ? static_cast<ErrorKind>(fault)
                    : ErrorKind::kTarget,
                one_sentence(in.blob().text(), kLongestRefusal)};
    if (!in.ok()) return end(Broken::kGarbled, limit, doing);
    return error;
  }
  reply.body.erase(reply.body.begin());
  return std::move(reply.body);
}

}  // namespace edgeprobe::engine
