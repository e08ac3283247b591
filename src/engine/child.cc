#include "engine/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/spawn_actions.h"
#include "engine/worker.h"

extern char** environ;

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kPrintedKept = 4096;
constexpr std::size_t kLongestRefusal = 2000;
/// For what the process printed before it ended: something that it started may go on printing for ever.
constexpr auto kDrainLimit = 100ms;
constexpr auto kStartLimit = 20s;
constexpr auto kCloseLimit = 2s;

/// Moved above the standard descriptors, which a program may have been started without.
Descriptor high(int fd) {
  Descriptor low(fd);
  return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 10));
}

Error cannot_start(const char* step, int code) {
  return {Fault::kTarget, std::string("the engine process cannot be started: ") + step + ": " + std::strerror(code)};
}

std::string signal_text(int number) {
  const char* const abbreviation = ::sigabbrev_np(number);
  const char* const meaning = ::sigdescr_np(number);
  return (abbreviation ? std::string("SIG") + abbreviation : "signal " + std::to_string(number)) +
         (meaning ? std::string(" (") + meaning + ")" : "");
}

std::string limit_text(std::chrono::milliseconds limit) {
  return limit.count() % 1000 == 0 ? std::to_string(limit.count() / 1000) + " s"
                                   : std::to_string(limit.count()) + " ms";
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start() {
  if (::getenv(kWorkerVariable))
    return Error{Fault::kUsage, "an engine process cannot start another one; the program's main() must call "
                                "edgeprobe::engine::run_worker_if_asked() first"};
  int sockets[2];
  int pipe_ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return cannot_start("socketpair", errno);
  Descriptor ours = high(sockets[0]);
  Descriptor theirs = high(sockets[1]);
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return cannot_start("pipe", errno);
  Descriptor errors = high(pipe_ends[0]);
  Descriptor their_errors = high(pipe_ends[1]);
  if (ours.get() < 0 || theirs.get() < 0 || errors.get() < 0 || their_errors.get() < 0)
    return cannot_start("descriptors", errno);
  ::fcntl(errors.get(), F_SETFL, O_NONBLOCK);

  SpawnActions spawn;
  ::posix_spawn_file_actions_addopen(&spawn.actions, 0, "/dev/null", O_RDONLY, 0);
  // Engines print to both; neither may reach the results that this program prints.
  ::posix_spawn_file_actions_adddup2(&spawn.actions, their_errors.get(), 1);
  ::posix_spawn_file_actions_adddup2(&spawn.actions, their_errors.get(), 2);
  ::posix_spawn_file_actions_adddup2(&spawn.actions, theirs.get(), kWorkerSocket);
  ::posix_spawn_file_actions_addclosefrom_np(&spawn.actions, kWorkerSocket + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&spawn.attributes, &none);
  ::posix_spawnattr_setsigdefault(&spawn.attributes, &all);
  ::posix_spawnattr_setflags(&spawn.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  // Under an emulator the kernel cannot start this program by itself: its path then is the emulator's argument.
  const char* const launcher = ::getenv(kLauncherVariable);
  const bool launched = launcher && *launcher;
  std::error_code unknown;
  std::string program = launched ? std::filesystem::read_symlink("/proc/self/exe", unknown).string() : "/proc/self/exe";
  if (unknown) return cannot_start("/proc/self/exe", unknown.value());
  std::string argument = kWorkerArgument;
  std::string name = "edgeprobe-engine";
  std::vector<char*> arguments = {name.data(), argument.data(), nullptr};
  if (launched) arguments.insert(arguments.begin() + 1, program.data());
  std::string mark = std::string(kWorkerVariable) + "=1";
  std::vector<char*> environment;
  for (char** entry = environ; *entry; ++entry) environment.push_back(*entry);
  environment.push_back(mark.data());
  environment.push_back(nullptr);
  pid_t pid = -1;
  if (const int code = ::posix_spawnp(&pid, launched ? launcher : program.c_str(), &spawn.actions, &spawn.attributes,
                                      arguments.data(), environment.data());
      code != 0)
    return cannot_start(launched ? launcher : "posix_spawn", code);
  theirs.close();
  their_errors.close();

  std::unique_ptr<Child> child(new Child(pid, Channel(std::move(ours)), std::move(errors)));
  Message hello;
  const Broken broken = child->channel_.receive(hello, Channel::Clock::now() + kStartLimit, &child->watched_, wire::kLongestAnswer);
  if (broken != Broken::kNo || hello.step != wire::Step::kHello) {
    child->ended_ = "it did not answer";
    return Error{Fault::kTarget, "the engine process did not start; the program's main() must call "
                                 "edgeprobe::engine::run_worker_if_asked() first" + child->last_words()};
  }
  return child;
}

Child::Child(pid_t pid, Channel channel, Descriptor errors)
    : pid_(pid), channel_(std::move(channel)), errors_(std::move(errors)) {
  watched_.fd = errors_.get();
  watched_.drain = [this] { return drain(); };
}

Child::~Child() {
  if (pid_ < 0) return;
  if (ended_.empty()) {
    // Lets the engine and its delegates close what they opened.
    const auto deadline = Channel::Clock::now() + kCloseLimit;
    Message nothing;
    if (channel_.send(wire::Step::kClose, {}, -1, deadline, &watched_) == Broken::kNo)
      static_cast<void>(channel_.receive(nothing, deadline, &watched_, wire::kLongestAnswer));
  }
  reap(ended_.empty() ? 100ms : 0ms);
}

bool Child::drain() {
  char buffer[4096];
  const ssize_t got = ::read(errors_.get(), buffer, sizeof buffer);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  printed_.append(buffer, static_cast<std::size_t>(got));
  if (printed_.size() > 2 * kPrintedKept) printed_.erase(0, printed_.size() - kPrintedKept);
  return true;
}

std::string Child::last_words() const {
  // Runtimes greet with INFO lines; the reason is what comes last without that mark.
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < printed_.size()) {
    const std::size_t end = std::min(printed_.find('\n', at), printed_.size());
    const std::string line = printed_.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && !line.starts_with("INFO:") && !line.starts_with("VERBOSE:") && !line.starts_with("WARNING:"))
      lines.push_back(line);
  }
  constexpr std::size_t kLines = 3;
  std::string words;
  for (std::size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i)
    words += (words.empty() ? "" : " / ") + lines[i];
  return words.empty() ? "" : "; it printed: " + one_sentence(words);
}

int Child::reap(std::chrono::milliseconds patience) {
  if (pid_ < 0) return 0;
  int status = 0;
  const auto deadline = Channel::Clock::now() + patience;
  pid_t gone = 0;
  while ((gone = ::waitpid(pid_, &status, WNOHANG)) == 0 && Channel::Clock::now() < deadline) ::usleep(500);
  if (gone == 0) {
    // Not reaped yet, so the number cannot belong to anybody else.
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  return status;
}

Error Child::end(Broken broken, std::chrono::milliseconds limit, std::string_view doing) {
  // A process whose socket closed is about to be gone; one that is late or garbled is not.
  const int status = reap(broken == Broken::kClosed ? 2000ms : 0ms);
  const auto drained = Channel::Clock::now() + kDrainLimit;
  while (watched_.fd >= 0 && Channel::Clock::now() < drained) {
    pollfd polled{watched_.fd, POLLIN, 0};
    if (::poll(&polled, 1, 0) <= 0 || !drain()) break;
  }
  if (broken == Broken::kLate)
    ended_ = "it took longer than the limit of " + limit_text(limit) + " and was stopped";
  else if (broken == Broken::kGarbled)
    ended_ = "the engine process answered nonsense and was stopped";
  else if (broken == Broken::kLong)
    ended_ = "the engine process answered with more bytes than are taken (" + bytes_text(static_cast<double>(wire::kLongestResult)) + " for outputs of a size that was not known beforehand) and was stopped";
  else if (WIFSIGNALED(status))
    ended_ = "the engine process ended with " + signal_text(WTERMSIG(status)) +
             (WTERMSIG(status) == SIGKILL ? ", killed from outside or for lack of memory" : "");
  else
    ended_ = "the engine process ended with exit code " + std::to_string(WEXITSTATUS(status));
  ended_ += last_words();
  return {Fault::kTarget, std::string(doing) + ": " + ended_};
}

Result<Bytes> Child::call(wire::Step step, ByteView body, int descriptor, std::chrono::milliseconds limit,
                          std::string_view doing, std::uint64_t longest) {
  if (!ended_.empty())
    return Error{Fault::kTarget, std::string(doing) + ": this session is over since " + ended_ + "; load the model again"};
  printed_.clear();
  // A limit of centuries must not overflow the clock.
  const auto deadline = Channel::Clock::now() + std::min<std::chrono::milliseconds>(limit, std::chrono::hours(24 * 365));
  Message reply;
  Broken broken = channel_.send(step, body, descriptor, deadline, &watched_);
  if (broken == Broken::kNo) broken = channel_.receive(reply, deadline, &watched_, longest);
  if (broken == Broken::kNo && reply.step != wire::Step::kReply) broken = Broken::kGarbled;
  if (broken != Broken::kNo) return end(broken, limit, doing);
  wire::Reader in(reply.body);
  const bool succeeded = in.number<std::uint8_t>() != 0;
  if (!succeeded) {
    const auto fault = in.number<std::uint8_t>();
    Error error{fault <= static_cast<std::uint8_t>(Fault::kInterrupted) ? static_cast<Fault>(fault) : Fault::kTarget,
                one_sentence(in.blob().text(), kLongestRefusal)};
    if (!in.good()) return end(Broken::kGarbled, limit, doing);
    return error;
  }
  reply.body.erase(reply.body.begin());
  return std::move(reply.body);
}

}  // namespace edgeprobe::engine
