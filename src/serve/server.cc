// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <list>
#include <thread>
#include <utility>

namespace edgeprobe::serve {
namespace {

/// Refusals at the same time; further connections are closed without a word.
constexpr std::size_t kMostRefusals = 8;

/// How long a client that closed may take to be gone before the next one is refused.
constexpr std::chrono::milliseconds kLeaving{250}, kLook{1}, kBetweenTries{20};

/// A thread that says when it is done, and is waited for when the object goes.
class Task {
 public:
  template <class Work>
  explicit Task(Work work)
      : thread_([this, work = std::move(work)]() mutable {
          // Without memory for one client the server goes on.
          try {
            work();
          } catch (const std::exception&) {
          }
          done_ = true;
        }) {}
  ~Task() { thread_.join(); }
  bool is_done() const { return done_; }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

/// Without a thread for one more client its connection ends, and the server goes on.
template <class Work>
void start_task(std::list<Task>& tasks, Work work) {
  try {
    tasks.emplace_back(std::move(work));
  } catch (const std::exception&) {
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace

Status serve(const transport::Address& address, const Options& options, const Log& log,
             const Control& control, Device::Opener opener) {
  auto listener = transport::Listener::open(address);
  if (!listener) return std::move(listener).error();
  if (log.listening) log.listening(listener->address());
  Device device(options, opener);
  Uploads uploads(options.limits.uploads);
  std::list<Task> client, refusals;
  const process::Wait forever{process::kForever, control.stop};
  while (!control.stopped()) {
    auto connection = listener->accept(forever);
    if (!connection) {
      std::this_thread::sleep_for(kBetweenTries);  // No free descriptor, perhaps.
      continue;
    }
    // One that just closed may not have been seen to.
    for (const auto deadline = process::deadline_after(kLeaving);
         !client.empty() && process::Clock::now() < deadline;) {
      client.remove_if([](const Task& task) { return task.is_done(); });
      if (!client.empty()) std::this_thread::sleep_for(kLook);
    }
    refusals.remove_if([](const Task& task) { return task.is_done(); });
    if (client.empty()) {
      if (log.connected) log.connected(connection->peer());
      start_task(client, [&, connection = std::move(connection)]() mutable {
        const Served served = serve_client(std::move(connection), device, uploads, control.stop);
        if (log.ended) log.ended(served);
      });
      continue;
    }
    if (log.refused) log.refused(connection->peer());
    if (refusals.size() >= kMostRefusals) continue;
    start_task(refusals, [&, connection = std::move(connection)]() mutable {
      refuse_client(std::move(connection), options,
                    "another client is being served; this server serves one at a time",
                    control.stop);
    });
  }
  return {};
}

Status serve_stdio(const Options& options, const Log& log, const Control& control) {
  Descriptor from(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  Descriptor to(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (from.get() < 0 || to.get() < 0)
    return Error{ErrorKind::kUsage, "--stdio needs standard input and output"};
  Device device(options);
  Uploads uploads(options.limits.uploads);
  const Served served =
      serve_client(transport::over_pipes(std::move(from), std::move(to), "standard input"), device,
                   uploads, control.stop);
  if (log.ended) log.ended(served);
  return {};
}

}  // namespace edgeprobe::serve
