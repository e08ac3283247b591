// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace edgeprobe::engine {

/// The client for which a server's thread calls engines, while the object exists. Once that client
/// is gone, the engine process that the thread waits for is stopped, which frees its place for the
/// next client. When the server stops, an inference has two more seconds.
class OnBehalf {
 public:
  struct Client {
    int connection = -1;  ///< The client is gone once the other end of this descriptor is closed.
    const std::atomic<bool>* stop = nullptr;
  };
  explicit OnBehalf(Client client);
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;

  /// The calling thread's client, for a thread that it starts.
  static Client current();

 private:
  Client before_;
};

}  // namespace edgeprobe::engine
