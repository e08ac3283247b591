// SPDX-License-Identifier: Apache-2.0
#include "process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

extern char** environ;

namespace edgeprobe::process {
namespace {

using namespace std::chrono_literals;

/// Actions for posix_spawn(), freed with this object.
class SpawnActions {
 public:
  explicit SpawnActions(const Command& command) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    int highest = 2;
    bool has_input = false;
    for (const auto& [ours, theirs] : command.descriptors) {
      ::posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
      highest = std::max(highest, theirs);
      has_input = has_input || theirs == 0;
    }
    if (!has_input) ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, highest + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = command.own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// The argument list for exec(); points into `words`, which must outlive it.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::string Exit::name() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* const abbreviation = ::sigabbrev_np(signal);
  return abbreviation ? std::string("SIG") + abbreviation : "signal " + std::to_string(signal);
}

std::string Exit::text() const {
  const char* const meaning = signal == 0 ? nullptr : ::sigdescr_np(signal);
  return name() + (meaning ? std::string(" (") + meaning + ")" : "");
}

Result<Child> Child::start(const Command& command) {
  const SpawnActions spawn(command);
  std::vector<std::string> words = command.arguments, additions = command.environment;
  std::vector<char*> arguments = pointers(words), environment = pointers(additions);
  std::size_t own = 0;
  while (environ[own]) ++own;
  environment.insert(environment.begin(), environ, environ + own);
  Child child;
  const int code = ::posix_spawnp(&child.pid_, command.program.c_str(), spawn.actions(),
                                  spawn.attributes(), arguments.data(), environment.data());
  if (code != 0) {
    child.pid_ = -1;
    return Error{ErrorKind::kNotFound, std::strerror(code)};
  }
  child.own_group_ = command.own_group;
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), own_group_(other.own_group_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(own_group_, other.own_group_);
  return *this;
}

Child::~Child() { end(0ms); }

/// False if the child was already reaped elsewhere, e.g. in an application that ignores SIGCHLD.
bool Child::is_ours() const {
  siginfo_t over{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &over, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool Child::is_running() const {
  siginfo_t over{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &over, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         over.si_pid == 0;
}

Exit Child::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

Exit Child::end(std::chrono::milliseconds patience) {
  if (pid_ < 0) return {};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (is_running() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(500us);
  // Not reaped yet, so the ids of the process and its group cannot have been reused.
  if (is_ours()) ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  return reap();
}

std::optional<Exit> Child::wait(const std::atomic<bool>* stop) {
  while (stop && is_running()) {
    if (stop->load(std::memory_order_relaxed)) return std::nullopt;
    std::this_thread::sleep_for(1ms);
  }
  return reap();
}

}  // namespace edgeprobe::process
