// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.h"
#include "core/tensor.h"
#include "engine/engine.h"

/// What the engine process and its parent say to each other; numbers are little-endian. Both are
/// the same executable on the same machine, yet the reader trusts nothing, because an engine that
/// went wrong may have written over anything in its process.
namespace edgeprobe::engine::wire {

enum class Step : std::uint32_t {
  kHello = 1,
  kOpen,
  kLoad,
  kArena,
  kInfer,
  kClose,
  kReply,
  kRepeat,
  kMemory
};

/// Before each message: "EPW1", the step (uint32), the length of the body (uint64).
struct Header {
  Step step{};
  std::uint64_t length = 0;
};
inline constexpr std::size_t kHeaderBytes = 16;
Bytes header(Step step, std::uint64_t length);
/// Nothing when no message begins so. `bytes` has kHeaderBytes.
std::optional<Header> read_header(ByteView bytes);
inline constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 32;
/// Of what an engine process tells about itself and its model.
inline constexpr std::uint64_t kLongestAnswer = std::uint64_t{64} << 20;
/// Of an inference, whose outputs lie in shared memory but for those whose size was not known
/// beforehand, and of iterations.
inline constexpr std::uint64_t kLongestResult = std::uint64_t{512} << 20;

class Writer : public ByteWriter {
 public:
  void text(std::string_view value) { blob(view_of(value)); }
  void blob(ByteView value) { sized<std::uint64_t>(value); }
};

class Reader : public ByteReader {
 public:
  using ByteReader::ByteReader;
  std::string text() { return std::string(blob().text()); }
  ByteView blob() { return sized<std::uint64_t>(); }
  /// A count of items of at least `item` bytes each: 0 and not ok() when they cannot fit.
  std::size_t count(std::size_t item = 1);
};

void write(Writer& out, const TensorSpec& spec);
TensorSpec read_spec(Reader& in);
void write(Writer& out, const EngineChoice& choice);
EngineChoice read_choice(Reader& in);
void write(Writer& out, const EngineIdentity& identity);
EngineIdentity read_identity(Reader& in);
void write(Writer& out, const SessionOptions& options);
SessionOptions read_options(Reader& in);

/// What a loaded session tells about itself.
struct Loaded {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<Delegation> delegations;
  std::vector<std::string> warnings;
};
void write(Writer& out, const Session& session);
Loaded read_loaded(Reader& in);

/// Everything of an inference but the values of outputs.
void write_times(Writer& out, const Inference& inference);
void read_times(Reader& in, Inference& inference);

/// A request to repeat.
void write(Writer& out, const RepeatOptions& options);
RepeatOptions read_repeat(Reader& in);
void write(Writer& out, const Iterations& iterations);
Iterations read_iterations(Reader& in);
void write(Writer& out, const MemoryUse& use);
MemoryUse read_memory(Reader& in);

/// Where each input and output lies in the memory that both processes share. An output whose size
/// is not known beforehand has length 0 and travels in the reply.
struct Slot {
  std::size_t offset = 0;
  std::size_t length = 0;
};
struct Arena {
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::size_t size = 0;
};
Arena arena_for(const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::engine::wire
