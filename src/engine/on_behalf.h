// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace edgeprobe::engine {

/// Whom a thread of a server calls engines for, while the object lives. Once that client is gone
/// the engine's process that the thread waits for is ended, which frees its place for the next
/// client. When the server stops, an inference has two more seconds.
class OnBehalf {
 public:
  struct Client {
    int connection = -1;  ///< Gone when the other end of this descriptor is.
    const std::atomic<bool>* stop = nullptr;
  };
  explicit OnBehalf(Client client);
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;

  /// That of the calling thread, for one that it starts.
  static Client current();

 private:
  Client before_;
};

}  // namespace edgeprobe::engine
