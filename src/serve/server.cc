// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <thread>
#include <utility>

namespace edgeprobe::serve {
namespace {

/// Limit on simultaneous connections: the client, those in the handshake, and refused ones. Further
/// ones are closed without a message.
constexpr std::size_t kMostConnections = 16;

/// Time limit for a closed client to leave before the next one is refused.
constexpr std::chrono::milliseconds kLeaving{250}, kLook{1}, kBetweenTries{20};

/// A thread that signals when it is done, and is joined on destruction.
class Task {
 public:
  template <class Work>
  explicit Task(Work work)
      : thread_([this, work = std::move(work)]() mutable {
          // If memory runs out for one client, the server goes on.
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

/// If no thread can be started for a client, its connection is closed, and the server goes on.
template <class Work>
void start_task(std::list<Task>& tasks, Work work) {
  try {
    tasks.emplace_back(std::move(work));
  } catch (const std::exception&) {
    std::this_thread::sleep_for(kBetweenTries);
  }
}

/// Holds the place of the single client during this object's lifetime.
class Place {
 public:
  /// A client that just closed may still be in cleanup.
  explicit Place(std::atomic<bool>& taken) : taken_(taken) {
    const auto deadline = process::deadline_after(kLeaving);
    while (!(is_mine_ = !taken_.exchange(true)) && process::Clock::now() < deadline)
      std::this_thread::sleep_for(kLook);
  }
  Place(const Place&) = delete;
  ~Place() {
    if (is_mine_) taken_ = false;
  }
  bool is_mine() const { return is_mine_; }

 private:
  std::atomic<bool>& taken_;
  bool is_mine_ = false;
};

/// With TLS if the operator requires it.
Result<std::unique_ptr<transport::Connection>> meet(Descriptor socket, const std::string& peer,
                                                    const transport::TlsContext& tls,
                                                    const process::Wait& wait) {
  if (!tls) return transport::over_socket(std::move(socket), peer);
  return transport::accept_tls(std::move(socket), peer, tls, wait);
}

}  // namespace

Status serve(const transport::Address& address, const Options& options, const Log& log,
             const Control& control, Device::Opener opener) {
  transport::TlsContext tls;
  if (options.tls) {
    EP_TRY(tls, transport::tls_server(*options.tls));
  }
  EP_TRY(auto listener, transport::Listener::open(address));
  if (log.listening) log.listening(listener.address());
  Device device(options, opener);
  Uploads uploads(options.limits.uploads);
  std::atomic<bool> taken{false};
  // A handshake must not block others, so it comes before taking the place.
  const auto visit = [&](Descriptor socket, const std::string& peer) {
    auto connection = meet(std::move(socket), peer, tls,
                           {process::deadline_after(options.limits.handshake), control.stop});
    if (!connection) {
      Served stranger;
      stranger.peer = peer;
      stranger.problem = connection.error().what;
      if (log.ended) log.ended(stranger);
      return;
    }
    std::optional<Place> place(taken);
    if (place->is_mine()) {
      if (log.connected) log.connected((*connection)->peer());
      const Served served = serve_client(*std::move(connection), device, uploads, control.stop);
      place.reset();
      if (log.ended) log.ended(served);
      return;
    }
    if (log.refused) log.refused((*connection)->peer());
    refuse_client(*std::move(connection), options,
                  "another client is being served; this server serves one at a time", control.stop);
  };
  std::list<Task> visits;
  const process::Wait forever{process::kForever, control.stop};
  while (!control.stopped()) {
    auto [socket, peer] = listener.accept_socket(forever);
    visits.remove_if([](const Task& task) { return task.is_done(); });
    if (socket.get() < 0) {
      std::this_thread::sleep_for(kBetweenTries);  // Possibly out of descriptors.
      continue;
    }
    if (visits.size() >= kMostConnections) {
      if (log.refused) log.refused(peer);
      continue;
    }
    start_task(visits, [&visit, socket = std::move(socket), peer = std::move(peer)]() mutable {
      visit(std::move(socket), peer);
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
