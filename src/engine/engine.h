// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/binding.h"
#include "engine/options.h"

namespace edgeprobe::engine {

/// Time of one kernel in one inference: an operator, several that the engine fused, or one that it
/// added. The list of kernels is the same in every inference of a session, in the order in which
/// they run.
struct OpTime {
  std::string name;  ///< The engine's own name for it; "" if it has none.
  std::string type;  ///< The engine's term: "CONV_2D", "Convolution (NHWC, F32) GEMM".
  /// Indices of the main graph's layers that it computes; empty if unknown.
  std::vector<int> layers;
  /// Precision actually used: "f32", "bf16", "i8"; "" if the engine does not report it.
  std::string precision;
  bool inner = false;  ///< Inside a delegate: its time is part of an outer one.
  std::chrono::nanoseconds time{0};
};

/// How the time of an inference on another machine was spent, in addition to its latency on that
/// machine.
struct RemoteTimes {
  std::chrono::nanoseconds queue{0};  ///< Waiting for other requests, on the device.
  /// To and from the engine's process on the device, including copies.
  std::chrono::nanoseconds engine_process{0};
  std::chrono::nanoseconds transport{0};  ///< Transfer in both directions.
};

/// When one piece of a model divided over several processors ran.
struct PieceTime {
  std::string piece, processor;       ///< Names from the plan.
  std::chrono::nanoseconds start{0};  ///< Since the invoke began.
  std::chrono::nanoseconds time{0};
};

struct Inference {
  std::vector<Tensor> outputs;          ///< In the order of Session::outputs().
  std::chrono::nanoseconds latency{0};  ///< Only the engine's invoke: no copies, no transport.
  std::vector<OpTime> op_times;         ///< Empty unless SessionOptions::profile.
  std::optional<RemoteTimes> remote;    ///< Set for an engine on another machine.
  std::vector<PieceTime> pieces;        ///< Set for an engine that runs a model in pieces.
  /// Bytes that its pieces copied between their engines' memory and the tensors they pass on.
  std::uint64_t copied = 0;
};

/// A layer's result, as an engine describes it that reads a format which only it knows.
struct LayerResult {
  TensorSpec spec;
  std::string type;  ///< The framework's name of the operator: "Conv2D".
};

/// Whether a session keeps a state from one inference to the next; unknown: a plug-in does not say.
enum class Memory : std::uint8_t { kNone, kUnknown, kState };

/// Result of one requested (or default) delegate.
struct Delegation {
  std::string delegate;  ///< "xnnpack", or the file name of an external delegate.
  int ops_taken = 0;     ///< Operators of the main graph that it runs.
  int ops_total = 0;
  std::vector<int> ops;  ///< Their indices if the engine reports them; else empty.
};

/// When Session::repeat() stops: after `count` inferences or `duration`, whichever is first; runs
/// at least one.
struct RepeatOptions {
  std::size_t count = 1;
  std::chrono::nanoseconds duration = std::chrono::nanoseconds::max();
  /// Read run delay and CPU time of the engine's threads after each inference.
  bool scheduling = true;
};

/// One inference of many in a row.
struct Iteration {
  /// Start of the invoke, since repeat() began; steady clock.
  std::chrono::nanoseconds start{0};
  std::chrono::nanoseconds latency{0};  ///< As Inference::latency.
  /// CPU time of the engine process's threads during this inference, summed; read before and after
  /// it, outside of `latency`. Unset if the kernel does not report it or it was not requested.
  /// Resolution is the kernel's tick (1 to 4 ms), so only the sum over iterations is accurate.
  std::optional<std::chrono::nanoseconds> cpu;
  /// Time that ready threads waited because the CPU was busy with something else.
  std::optional<std::chrono::nanoseconds> run_delay;
  std::vector<OpTime> op_times;  ///< Empty unless SessionOptions::profile.
};

struct Iterations {
  std::vector<Iteration> iterations;
  bool stopped = false;       ///< The user stopped it.
  std::string no_scheduling;  ///< Why the iterations have no run delay; "" if they have one.
};

/// Memory of the engine's process and of the session in it. Bytes; unset if unknown.
struct MemoryUse {
  /// VmHWM with the library open, before the model was loaded.
  std::optional<std::uint64_t> peak_before_load;
  /// Includes the model's file, twice if the engine copies it.
  std::optional<std::uint64_t> peak_after_load;
  std::optional<std::uint64_t> peak;      ///< Peak so far: includes the inferences.
  std::optional<std::uint64_t> resident;  ///< At this moment.
  std::optional<std::uint64_t> arena;     ///< The engine's memory for intermediate tensors.
};

/// A loaded model, ready to run. Not thread-safe; one inference at a time.
class Session {
 public:
  virtual ~Session() = default;
  /// Specs with the shapes that this session actually uses (dynamic dimensions resolved).
  virtual const std::vector<TensorSpec>& inputs() const = 0;
  /// An output whose shape is decided at run time has the engine's guess until the first infer().
  virtual const std::vector<TensorSpec>& outputs() const = 0;
  virtual const std::vector<Delegation>& delegations() const = 0;
  /// One warning per line: a delegate that took no operators, a kernel set that the engine ignores.
  virtual const std::vector<std::string>& warnings() const = 0;
  /// The layers of a model whose file only this engine reads, in the order in which they run:
  /// SessionOptions::capture takes their positions. Empty for formats that model/ reads.
  virtual const std::vector<LayerResult>& layers() const;
  /// For formats that only this engine reads: whether a run depends on earlier ones.
  virtual Memory remembers() const { return Memory::kNone; }
  /// Inputs in the order, dtype and shape of inputs(). kUsage if they do not match, kTarget if the
  /// engine fails, crashes or exceeds a time limit (the error names the step and the signal).
  virtual Result<Inference> infer(const std::vector<TensorView>& inputs) = 0;
  /// Memory from which the engine reads input `index`; infer() copies nothing if called with a view
  /// of it. Null if there is no such memory.
  virtual std::byte* input_memory(std::size_t index) {
    (void)index;
    return nullptr;
  }
  /// Prepares inferences with fixed memory, for callers that run many: one place for each of
  /// inputs() and outputs(), of its byte size and aligned to 64 bytes. kUsage if the places do not
  /// match or a shape is open. This default calls infer() and copies.
  virtual Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                                const std::vector<Place>& outputs);
  /// Many inferences of the same inputs, back to back, for timing: no answer is transferred between
  /// them. Outputs are discarded. Fails like infer(), with SessionOptions::invoke_limit for each
  /// inference; earlier timings are then lost. This default calls infer() and reads the threads of
  /// its own process. Reports progress a few times per second, between two inferences. A stop takes
  /// effect after the current inference, at the latest with the next progress report.
  virtual Result<Iterations> repeat(const std::vector<TensorView>& inputs,
                                    const RepeatOptions& options, const Control& control = {});
  /// This default returns `peak` and `resident` of its own process, and arena().
  virtual MemoryUse memory();
  /// Bytes of the engine's memory for intermediate tensors; unset if it does not report them.
  virtual std::optional<std::uint64_t> arena() const { return std::nullopt; }
};

/// How long an engine took to become ready.
struct Startup {
  std::chrono::nanoseconds process{0};  ///< Starting its process, up to the first message.
  /// Opening the library and initialising the runtime, including the library's SHA-256.
  std::chrono::nanoseconds open{0};
};

/// Identity of an opened library, for provenance.
struct EngineIdentity {
  std::string kind;     ///< A name of engine/kinds.h.
  std::string version;  ///< As reported by the library.
  std::filesystem::path library;
  std::string sha256;  ///< Hash of the library file.
  /// Abilities of this library: kernel sets by name, then "delegates", "op times", "delegated ops".
  std::vector<std::string> abilities = {};
};

/// The kernel set used with these options: the requested one, else the engine's default. "" for
/// engines without a choice.
std::string kernels_used(const EngineIdentity& identity, const SessionOptions& options);

/// An opened runtime library; sessions keep it alive.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineIdentity& identity() const = 0;
  /// Unset for an engine in this process.
  virtual std::optional<Startup> startup() const { return std::nullopt; }
  /// `model` is a complete model file in memory; `label` names it in messages.
  virtual Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                                const SessionOptions& options) = 0;
};

/// The name of the first engine in the table of engine/kinds.h.
std::string first_engine();

/// An engine: a kind, and optionally its library file or the address of a server.
struct EngineChoice {
  std::string kind = first_engine();  ///< A name of engine/kinds.h.
  std::filesystem::path library;      ///< Empty: the default library that set-up fetched.
  /// Address of another machine, as in engine/target.h: its server opens the engine, and `kind` is
  /// only the format of the models. "": this machine.
  std::string address = {};
  /// For an address: limit for the remote shell and for the server's first message.
  std::chrono::milliseconds open_limit{60'000};
  /// The Python that runs a plug-in; "": process::python_interpreter().
  std::string python = {};
};

/// Opens the engine in the current process (apps that embed it; the worker; unit tests).
Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice);

/// Opens the engine of a plan's processor; `engine` is text as for --engine. kUsage for an engine
/// that does not open models of this format, and for another plan.
Result<std::unique_ptr<Engine>> open_processor(std::string_view engine, std::string_view format);

/// Opens the engine in a supervised child process (used by the CLI): a crash or a hang of the
/// runtime becomes an error. The child is this executable with the argument kWorkerArgument, so
/// main() must call run_worker_if_asked() first. An engine with an address is supervised by its own
/// server.
Result<std::unique_ptr<Engine>> open_supervised(const EngineChoice& choice);

inline constexpr const char* kWorkerArgument = "--edgeprobe-engine-worker";
/// The worker's exit code if argv requests a worker, else nothing. Call it first in main().
std::optional<int> run_worker_if_asked(int argc, char** argv);

}  // namespace edgeprobe::engine
