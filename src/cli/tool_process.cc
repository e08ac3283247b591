#include "cli/tool_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/bytes.h"
#include "core/text.h"
#include "engine/shared_memory.h"
#include "engine/spawn_actions.h"

extern char** environ;

namespace edgeprobe::cli {
namespace {

using engine::Descriptor;
constexpr std::size_t kMostOutput = std::size_t{16} << 20;
constexpr std::size_t kMostErrors = std::size_t{64} << 10;

struct Pipe {
  Descriptor ours, theirs;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    ours = Descriptor(ends[0]);
    theirs = Descriptor(ends[1]);
    return true;
  }
};

/// Reads what is there; false at the end. Of more than `most` bytes the last half of that is kept.
bool drain(const Descriptor& from, std::string& text, std::size_t most) {
  char buffer[65536];
  const ssize_t got = ::read(from.get(), buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(got));
  if (text.size() > most) text.erase(0, text.size() - most / 2);
  return true;
}

std::string last_line(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t start = text.rfind('\n', end - 1);
    const std::size_t from = start == std::string::npos ? 0 : start + 1;
    const std::string line = text.substr(from, end - from);
    if (line.find_first_not_of(" \t\r-=^~") != std::string::npos) return printable(line, 400);
    if (from == 0) break;
    end = from - 1;
  }
  return "";
}

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& words, const std::string& input, const std::atomic<bool>* stop,
                         const std::function<void()>& waiting) {
  const std::string shown = "'" + printable(words.front(), 200) + "'";
  auto given = engine::SharedMemory::create(input.size(), "edgeprobe request");
  if (!given) return std::move(given).error();
  if (!input.empty()) std::memcpy(given->data(), input.data(), input.size());
  Pipe out, errors;
  if (!out.open() || !errors.open()) return Error{Fault::kTarget, std::string("no pipe: ") + std::strerror(errno)};
  engine::SpawnActions spawn;
  ::posix_spawn_file_actions_adddup2(&spawn.actions, given->descriptor(), 0);
  ::posix_spawn_file_actions_adddup2(&spawn.actions, out.theirs.get(), 1);
  ::posix_spawn_file_actions_adddup2(&spawn.actions, errors.theirs.get(), 2);
  spawn.alone();
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (const int code = ::posix_spawnp(&pid, words.front().c_str(), &spawn.actions, &spawn.attributes, arguments.data(), environ); code != 0)
    return Error{Fault::kNotFound, shown + " cannot be started: " + std::strerror(code)};
  out.theirs.close();
  errors.theirs.close();

  ToolRun run;
  std::string said;
  bool stopped = false;
  auto told = std::chrono::steady_clock::now();
  for (bool more_out = true, more_errors = true; more_out || more_errors;) {
    pollfd polled[2] = {{more_out ? out.ours.get() : -1, POLLIN, 0}, {more_errors ? errors.ours.get() : -1, POLLIN, 0}};
    const int ready = ::poll(polled, 2, 200);
    if (stop && stop->load(std::memory_order_relaxed)) stopped = true;
    if (stopped || (ready < 0 && errno != EINTR)) break;
    if (ready > 0 && polled[0].revents) more_out = drain(out.ours, run.output, kMostOutput);
    if (ready > 0 && polled[1].revents) more_errors = drain(errors.ours, said, kMostErrors);
    if (waiting && std::chrono::steady_clock::now() - told > std::chrono::seconds(1)) {
      told = std::chrono::steady_clock::now();
      waiting();
    }
  }
  if (stopped) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (stopped) return Error{Fault::kInterrupted, shown + " was stopped by the user"};
  run.last_words = last_line(said);
  if (WIFSIGNALED(status)) {
    const char* const name = ::sigabbrev_np(WTERMSIG(status));
    return Error{Fault::kTarget, shown + " crashed with SIG" + (name ? name : "?") + (run.last_words.empty() ? "" : "; it last said: " + run.last_words)};
  }
  run.exit_code = WEXITSTATUS(status);
  return run;
}

}  // namespace edgeprobe::cli
