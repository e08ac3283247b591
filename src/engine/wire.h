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

/// Messages between the engine process and its parent; numbers are little-endian. Both are the same
/// executable on the same machine, but the reader trusts nothing, because a faulty engine may have
/// overwritten any memory of its process.
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
  kMemory,
  kSamples,  ///< Of a data set: names and annotations.
  kSample,
  kSampleAgain,  ///< The same sample, after a larger kArena.
  kDescribe,     ///< Of a plug-in's library: its options.
  kFrame,        ///< Of a metric: keeps a frame.
  kFigure,       ///< Of a metric: the figure over kept frames.
  kOpenData,     ///< A data set in a library.
};

/// The header of each message: "EPW1", the step (uint32), the length of the body (uint64).
struct Header {
  Step step{};
  std::uint64_t length = 0;
};
inline constexpr std::size_t kHeaderBytes = 16;
Bytes header(Step step, std::uint64_t length);
/// Returns nothing if this is not a message header. `bytes` has kHeaderBytes.
std::optional<Header> read_header(ByteView bytes);
inline constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 32;
/// Largest description of an engine process and its model.
inline constexpr std::uint64_t kLongestAnswer = std::uint64_t{64} << 20;
/// Largest result of an inference or of iterations. Outputs are in shared memory, except those
/// whose size was not known beforehand.
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
  /// A number of items of at least `item` bytes each: 0 and not ok() if they cannot fit.
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

/// A loaded session's description of itself.
struct Loaded {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<Delegation> delegations;
  std::vector<std::string> warnings;
  std::vector<LayerResult> layers;
  Memory memory = Memory::kNone;
};
void write(Writer& out, const Session& session);
Loaded read_loaded(Reader& in);

/// Writes everything of an inference except its output values.
void write_times(Writer& out, const Inference& inference);
void read_times(Reader& in, Inference& inference);

/// A request to repeat.
void write(Writer& out, const RepeatOptions& options);
RepeatOptions read_repeat(Reader& in);
void write(Writer& out, const Iterations& iterations);
Iterations read_iterations(Reader& in);
void write(Writer& out, const MemoryUse& use);
MemoryUse read_memory(Reader& in);

/// Where each input and output is in the memory shared by both processes. An output whose size is
/// not known beforehand has length 0 and is sent in the reply.
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
