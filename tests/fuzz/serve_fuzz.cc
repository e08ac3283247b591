// SPDX-License-Identifier: Apache-2.0
// Any bytes, in any cuts, as what clients send to the server; the engine behind it computes
// nothing. Each request that was read is answered, by messages that a client can read.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../serve/null_engine.h"
#include "protocol/message_reader.h"
#include "serve/client.h"
#include "serve/recording/recording.h"

using namespace edgeprobe;
using transport::Transfer;

namespace {

/// The first bytes of an input select the kind of client that sends the rest.
struct Kind {
  std::uint8_t speaks = 0;  ///< The generation that the operator chose, or one that the server
                            ///< detects.
  std::size_t piece = 1;    ///< Bytes that arrive together.
  std::size_t takes = 0;    ///< Messages that the client reads before it disconnects; 0: all.
  bool is_fast = false;     ///< Its next request has already arrived when the server checks.
  bool is_silent = false;   ///< It stays connected after its last message.

  bool waits_for_greeting() const { return speaks == 6; }
  bool is_refused() const { return speaks == 7; }
};

/// Printed at the end: each execution processes several requests.
struct Count {
  std::uint64_t requests = 0;
  ~Count() {
    std::fprintf(stderr, "%llu requests were read\n", static_cast<unsigned long long>(requests));
  }
};
Count count;

/// A client in memory.
class MemoryConnection final : public transport::Connection {
 public:
  MemoryConnection(const Kind& kind, ByteView stream, Bytes& taken)
      : kind_(kind), rest_(stream), taken_(taken) {}

  Transfer read(std::byte* to, std::size_t size, std::size_t& got,
                const transport::Wait&) override {
    if (gone_) return Transfer::kClosed;
    if (kind_.waits_for_greeting() && !asked_.exchange(true)) return Transfer::kLate;
    if (rest_.empty()) return kind_.is_silent ? Transfer::kLate : Transfer::kClosed;
    got = std::min({size, kind_.piece, rest_.size});
    std::memcpy(to, rest_.data, got);
    rest_ = rest_.sub(got, rest_.size - got);
    return Transfer::kDone;
  }
  Transfer wait_readable(const transport::Wait&) override {
    return kind_.is_fast || rest_.empty() ? Transfer::kDone : Transfer::kLate;
  }
  Transfer write(std::span<const ByteView> parts, const transport::Wait&) override {
    if (gone_ || (kind_.takes > 0 && ++writes_ > kind_.takes)) return Transfer::kClosed;
    for (const ByteView& part : parts)
      taken_.insert(taken_.end(), part.data, part.data + part.size);
    return Transfer::kDone;
  }
  void shut() override { gone_ = true; }
  const std::string& peer() const override { return name_; }

 private:
  const Kind kind_;
  ByteView rest_;
  Bytes& taken_;
  std::atomic<bool> gone_{false}, asked_{false};
  std::size_t writes_ = 0;
  const std::string name_ = "memory";
};

/// Checks the bytes sent to the client: whole messages, one answer for each request, two for a
/// PROCESS of g1, and one more for unreadable bytes.
void check_answers(const serve::Served& served, const Kind& kind, ByteView taken) {
  const auto generation = protocol::generation_from_name(served.generation).value();
  const ByteView greeting = protocol::greeting(generation);
  const bool greeted = kind.speaks < 5 || kind.waits_for_greeting();
  if (greeted && !greeting.empty()) taken = taken.sub(1, taken.size - 1);
  protocol::MessageReader reader(generation, std::uint64_t{1} << 32);
  const auto messages = reader.push(taken);
  if (!messages || !reader.is_idle()) std::abort();
  const auto answers = static_cast<std::uint64_t>(
      std::count_if(messages->begin(), messages->end(), [](const protocol::Message& message) {
        // The failure of a LOGS request is of type LOGS, too.
        return message.header.type != protocol::Type::kLogs ||
               message.header.has(protocol::flag::kFail);
      }));
  if (answers < served.requests || answers > 2 * served.requests + 1) std::abort();
}

void serve_one(const Kind& kind, ByteView stream, serve::Options& options, serve::Device& device,
               serve::Uploads& uploads) {
  const auto generations = protocol::all_generations();
  options.protocol.reset();
  if (kind.speaks < generations.size()) options.protocol = generations[kind.speaks];
  Bytes taken;
  auto connection = std::make_unique<MemoryConnection>(kind, stream, taken);
  const std::atomic<bool> stop{false};
  if (kind.is_refused()) {
    serve::refuse_client(std::move(connection), options, "another client", &stop);
    return;
  }
  const serve::Served served = serve::serve_client(std::move(connection), device, uploads, &stop);
  count.requests += served.requests;
  if (kind.takes == 0 && !served.generation.empty()) check_answers(served, kind, taken);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const Kind kind{static_cast<std::uint8_t>(data[0] % 8), std::size_t{1} + data[1], data[2],
                  (data[3] & 1) != 0, (data[3] & 2) != 0};
  const bool two_inputs = (data[3] & 4) != 0;
  const ByteView stream(reinterpret_cast<const std::byte*>(data) + 4, size - 4);
  // A first client sends the first part, and a second one the rest.
  const std::size_t first = stream.size * (data[3] >> 3U) / 31;

  serve::Options options;
  options.ok_gap = {};
  options.recorder = serve::record;
  options.limits.longest_message = 1 << 16;
  options.limits.uploads = 1 << 16;
  serve::Device device(options,
                       two_inputs ? serve::NullEngine<2>::open : serve::NullEngine<1>::open);
  serve::Uploads uploads(options.limits.uploads);
  serve_one(kind, stream.sub(0, first), options, device, uploads);
  serve_one(kind, stream.sub(first, stream.size - first), options, device, uploads);
  return 0;
}
