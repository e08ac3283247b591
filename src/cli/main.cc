// SPDX-License-Identifier: Apache-2.0
// The only place that turns results into exit codes: 0 done or agrees, 1 failed, 2 usage, 3
// differs, 4 undecided, 130 interrupted.
#include <csignal>
#include <exception>
#include <iostream>

#include <poll.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"
#include "cli/verbs.h"
#include "engine/engine.h"
#include "process/wait.h"
#include "processors/vulkan_question.h"

namespace {

std::atomic<bool> stop_asked{false};

void on_interrupt(int) {
  // The first Ctrl-C requests an orderly stop; a second one exits at once.
  if (stop_asked.exchange(true)) _exit(130);
}

int exit_code(const edgeprobe::Error& error) {
  if (error.kind == edgeprobe::ErrorKind::kUsage) return 2;
  if (error.kind == edgeprobe::ErrorKind::kInterrupted) return 130;
  return 1;
}

/// True if standard output is a pipe without a reader.
bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = edgeprobe::engine::run_worker_if_asked(argc, argv)) return *code;
  if (const auto code = edgeprobe::processors::answer_vulkan_if_asked(argc, argv)) return *code;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // 'ulimit -f': a write error instead of a killed program

  edgeprobe::process::program_stop = &stop_asked;
  edgeprobe::cli::Terminal terminal{std::cout, std::cerr, ::isatty(2) == 1,
                                    ::isatty(1) == 1 && !std::getenv("NO_COLOR"), &stop_asked};
  try {
    const auto outcome = edgeprobe::cli::run_command_line(argc, argv, terminal);
    std::cout.flush();
    if (!std::cout && reader_is_gone()) {
      // '| head' has read enough: exit silently like other tools.
      std::signal(SIGPIPE, SIG_DFL);
      ::raise(SIGPIPE);
    }
    if (!std::cout) {
      std::cerr << "edgeprobe: cannot write to standard output\n";
      return 1;
    }
    if (outcome) return static_cast<int>(*outcome);
    if (!outcome.error().what.empty()) std::cerr << "edgeprobe: " << outcome.error().what << "\n";
    return exit_code(outcome.error());
  } catch (const std::bad_alloc&) {
    std::cerr << "edgeprobe: out of memory\n";
    return 1;
  } catch (const std::exception& failure) {
    std::cerr << "edgeprobe: internal error (please report it with the command): " << failure.what()
              << "\n";
    return 1;
  }
}
