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
  std::string name;  ///< The engine's own name of it; "" when it gives none.
  std::string type;  ///< "CONV_2D", "Convolution (NHWC, F32) GEMM": the engine's word.
  /// Indices of the main graph's layers that it computes; empty where that is not known.
  std::vector<int> layers;
  /// "f32", "bf16", "i8": what it really computed in; "" when the engine does not say.
  std::string precision;
  bool inner = false;  ///< Inside a delegate: its time is part of an outer one.
  std::chrono::nanoseconds time{0};
};

/// Where the time of an inference on another machine went, beside its latency there.
struct RemoteTimes {
  std::chrono::nanoseconds queue{0};  ///< Behind other requests, on the device.
  /// On the device to and from the engine's process, copies counted.
  std::chrono::nanoseconds engine_process{0};
  std::chrono::nanoseconds transport{0};  ///< On the way there and back.
};

/// When a part of the model ran that one processor of several computes.
struct PieceTime {
  std::string piece, processor;       ///< As the plan names them.
  std::chrono::nanoseconds start{0};  ///< Since the invoke began.
  std::chrono::nanoseconds time{0};
};

struct Inference {
  std::vector<Tensor> outputs;          ///< In the order of Session::outputs().
  std::chrono::nanoseconds latency{0};  ///< The engine's invoke alone: no copies, no transport.
  std::vector<OpTime> op_times;         ///< Empty unless SessionOptions::profile.
  std::optional<RemoteTimes> remote;    ///< Of an engine on another machine.
  std::vector<PieceTime> pieces;        ///< Of an engine that runs a model in pieces.
  /// Bytes that its pieces copied, between the memory of their engines and what they hand on.
  std::uint64_t copied = 0;
};

/// What became of one requested (or default) delegate.
struct Delegation {
  std::string delegate;  ///< "xnnpack", or the file name of an external delegate.
  int ops_taken = 0;     ///< Operators of the main graph that it runs.
  int ops_total = 0;
  std::vector<int> ops;  ///< Their indices when the engine tells; else empty.
};

/// How Session::repeat() is to run: until `count` inferences or `duration` have passed, whichever
/// is first, at least one.
struct RepeatOptions {
  std::size_t count = 1;
  std::chrono::nanoseconds duration = std::chrono::nanoseconds::max();
  /// Read run delay and CPU time of the engine's threads after each inference.
  bool scheduling = true;
};

/// One inference of many in a row.
struct Iteration {
  std::chrono::nanoseconds start{0};    ///< Of the invoke, since repeat() began; steady clock.
  std::chrono::nanoseconds latency{0};  ///< As Inference::latency.
  /// What the threads of the process that runs the engine had of CPUs while this inference ran,
  /// summed over them; read before and after it, outside of `latency`. Nothing where the kernel
  /// does not tell, or when it was not asked for. Counted by the kernel's tick (1 to 4 ms): right
  /// in the sum over iterations.
  std::optional<std::chrono::nanoseconds> cpu;
  /// They were ready and waited, because something else had the CPU.
  std::optional<std::chrono::nanoseconds> run_delay;
  std::vector<OpTime> op_times;  ///< Empty unless SessionOptions::profile.
};

struct Iterations {
  std::vector<Iteration> iterations;
  bool stopped = false;       ///< The user ended it.
  std::string no_scheduling;  ///< Why the iterations have no run delay; "" when they do.
};

/// Memory of the process that runs the engine, and of the session in it. Bytes; nothing where that
/// is not known.
struct MemoryUse {
  /// VmHWM with the library open, before the model was loaded.
  std::optional<std::uint64_t> peak_before_load;
  /// The model's file counts, twice when the engine copies it.
  std::optional<std::uint64_t> peak_after_load;
  std::optional<std::uint64_t> peak;      ///< Up to now: what the inferences needed.
  std::optional<std::uint64_t> resident;  ///< Now.
  std::optional<std::uint64_t> arena;     ///< Where the engine keeps the intermediates.
};

/// A loaded model, ready to run. Not thread-safe; one inference at a time.
class Session {
 public:
  virtual ~Session() = default;
  /// Specs with the shapes that this session really uses (dynamic dimensions resolved).
  virtual const std::vector<TensorSpec>& inputs() const = 0;
  /// An output whose shape the model decides while it runs has the engine's guess until the first
  /// infer().
  virtual const std::vector<TensorSpec>& outputs() const = 0;
  virtual const std::vector<Delegation>& delegations() const = 0;
  /// One warning a line: a delegate that took nothing, a kernel set that the engine ignores.
  virtual const std::vector<std::string>& warnings() const = 0;
  /// Inputs in the order, dtype and shape of inputs(). kUsage when they do not fit, kTarget when
  /// the engine fails, crashes or passes a time limit (the sentence names the step and the signal).
  virtual Result<Inference> infer(const std::vector<TensorView>& inputs) = 0;
  /// Memory that the engine reads input `index` from, of its byte size; infer() copies nothing when
  /// it is given a view of it. Null where there is none.
  virtual std::byte* input_memory(std::size_t index) {
    (void)index;
    return nullptr;
  }
  /// The same inference over memory that stays where it is, for callers that run it many times: one
  /// place for each of inputs() and outputs(), of their byte sizes, each aligned to 64 bytes.
  /// kUsage where they do not fit, or where a shape is open. This one calls infer() and copies.
  virtual Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                                const std::vector<Place>& outputs);
  /// Many inferences of the same inputs, back to back, for timing: no answer travels between two of
  /// them. Outputs are thrown away. Fails as infer() does, with SessionOptions::invoke_limit for
  /// each inference; what was timed is lost then. This one calls infer() and reads the threads of
  /// its own process. Progress is told a few times a second, between two inferences. A stop ends
  /// the iterations after the current inference, at the latest when progress is told next.
  virtual Result<Iterations> repeat(const std::vector<TensorView>& inputs,
                                    const RepeatOptions& options, const Control& control = {});
  /// This one tells `peak` and `resident` of its own process, and arena().
  virtual MemoryUse memory();
  /// Bytes that the engine keeps intermediates in; nothing when it does not say.
  virtual std::optional<std::uint64_t> arena() const { return std::nullopt; }
};

/// How long an engine took to be there.
struct Startup {
  std::chrono::nanoseconds process{0};  ///< To start its process, up to the first sign of life.
  /// To open the library and bring the runtime up; the library's SHA-256 counts too.
  std::chrono::nanoseconds open{0};
};

/// What was opened, for provenance.
struct EngineIdentity {
  std::string kind;     ///< A name of engine/kinds.h.
  std::string version;  ///< As the library says it.
  std::filesystem::path library;
  std::string sha256;  ///< Of the library file.
  /// What this library can do: kernel sets by name, then "delegates", "op times", "delegated ops".
  std::vector<std::string> abilities = {};
};

/// The kernel set that sessions with these options run: the one asked for, else the engine's
/// default. "" for engines that have only their own.
std::string kernels_used(const EngineIdentity& identity, const SessionOptions& options);

/// A runtime library that was opened; sessions keep it alive.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineIdentity& identity() const = 0;
  /// Nothing in process.
  virtual std::optional<Startup> startup() const { return std::nullopt; }
  /// `model` is a complete model file in memory; `label` names it in messages.
  virtual Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                                const SessionOptions& options) = 0;
};

/// The name of the first engine in the table of engine/kinds.h.
std::string first_engine();

/// An engine: a kind and, when given, the library file, or the address of a server.
struct EngineChoice {
  std::string kind = first_engine();  ///< A name of engine/kinds.h.
  std::filesystem::path library;      ///< Empty: the default that set-up fetched.
  /// Of another machine, as engine/target.h has it: its server opens the engine, and `kind` says
  /// the format of the models alone. "": this machine.
  std::string address = {};
  /// Of an address: for the shell there, and for the server's first words.
  std::chrono::milliseconds open_limit{60'000};
};

/// Opens the engine in this very process (apps that embed it; the worker; unit tests).
Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice);

/// The same for what a plan calls the engine of a processor, a text as --engine has it. kUsage for
/// one that does not open models of this format, and for another plan.
Result<std::unique_ptr<Engine>> open_processor(std::string_view engine, std::string_view format);

/// Opens it in a supervised child process (the CLI's way): a crash or a hang of the runtime becomes
/// one sentence. The child is this executable again with the argument kWorkerArgument, so main()
/// must call run_worker_if_asked() first. An engine with an address is supervised by its own
/// server.
Result<std::unique_ptr<Engine>> open_supervised(const EngineChoice& choice);

inline constexpr const char* kWorkerArgument = "--edgeprobe-engine-worker";
/// The exit code of the worker when argv asks for one, else nothing. Call it first in main().
std::optional<int> run_worker_if_asked(int argc, char** argv);

}  // namespace edgeprobe::engine
