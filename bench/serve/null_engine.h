// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "engine/engine.h"

/// Shared by the benchmarks of the wire: an engine that computes nothing, and plain sockets.
namespace edgeprobe::bench {

inline std::size_t input_bytes = 0, output_bytes = 0;  // Bytes of a sample.

/// Computes nothing: its output is zeros.
class NullSession final : public engine::Session {
 public:
  NullSession() {
    inputs_ = {{"x", DType::kUInt8, {static_cast<std::int64_t>(input_bytes)}, {}}};
    outputs_ = {{"y", DType::kUInt8, {static_cast<std::int64_t>(output_bytes)}, {}}};
    memory_.resize(input_bytes);
  }
  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::byte* input_memory(std::size_t) override { return memory_.data(); }
  Result<engine::Inference> infer(const std::vector<TensorView>&) override {
    engine::Inference inference;
    inference.outputs.push_back({outputs_[0], Bytes(output_bytes)});
    return inference;
  }

 private:
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
  Bytes memory_;
};

class NullEngine final : public engine::Engine {
 public:
  const engine::EngineIdentity& identity() const override { return identity_; }
  Result<std::unique_ptr<engine::Session>> load(ByteView, std::string_view,
                                                const engine::SessionOptions&) override {
    return std::unique_ptr<engine::Session>(std::make_unique<NullSession>());
  }

 private:
  engine::EngineIdentity identity_{"litert", "0", "", "", {}};
};

inline Result<std::unique_ptr<engine::Engine>> open_null(const engine::EngineChoice&) {
  return std::unique_ptr<engine::Engine>(std::make_unique<NullEngine>());
}

inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "the benchmark: %s\n", what);
  std::exit(1);
}

inline void send_all(int fd, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = ::send(fd, bytes, size, MSG_NOSIGNAL);
    require(put > 0, "send failed");
    bytes += put;
    size -= static_cast<std::size_t>(put);
  }
}

inline bool receive_all(int fd, std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(fd, bytes, size, 0);
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

inline int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
          "cannot connect");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

inline double quantile(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(level * static_cast<double>(values.size() - 1)));
}

}  // namespace edgeprobe::bench
