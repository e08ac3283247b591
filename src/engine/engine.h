// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::engine {

/// Which implementation of the operators tflite and litert are asked to use; other engines have
/// their own alone.
enum class Kernels { kXnnpack, kBuiltin, kReference };
const char* name(Kernels kernels);
std::optional<Kernels> kernels_from_name(std::string_view text);

/// Something outside the engine that takes operators: a TFLite delegate or a plug-in execution
/// provider.
struct Delegate {
  enum class Kind {
    kExternal,  ///< `library` is the plug-in.
    /// TFLite's GPU delegate, out of the engine's own library or, when given, `library`.
    kGpu,
    kNnapi,  ///< The same for NNAPI.
  };
  std::filesystem::path library;
  std::vector<std::pair<std::string, std::string>> options;
  Kind kind = Kind::kExternal;
};

/// "gpu", "nnapi", or the path of the plug-in.
std::string name_of(const Delegate& delegate);

/// How far an engine may rewrite the graph; as ONNX Runtime's levels.
enum class Optimization { kOff, kBasic, kExtended, kAll };
const char* name(Optimization level);
std::optional<Optimization> optimization_from_name(std::string_view text);

/// In what precision an engine may compute what the model file says in float32.
enum class Precision {
  kFloat32,  ///< As the file says; what a validation needs.
  kEngine,   ///< As the engine likes on this processor, e.g. bfloat16.
};

struct SessionOptions {
  /// Nothing: the engine's usual, XNNPACK in tflite and litert.
  std::optional<Kernels> kernels;
  int threads = 1;
  std::vector<Delegate> delegates;
  Optimization optimization = Optimization::kAll;
  Precision precision = Precision::kFloat32;
  bool spinning = true;  ///< Idle threads of a pool may spin before they sleep.
  /// The CPUs that may run the engine's threads, counted from 0; empty: all.
  std::vector<int> cpus;
  bool profile = false;  ///< Record the time of each op.
  /// Where data that the model keeps outside its file may lie (ONNX): this folder and nothing above
  /// it. Empty: nowhere.
  std::filesystem::path folder;
  std::map<std::string, Shape> input_shapes;       ///< Resizes inputs before allocation, by name.
  std::chrono::milliseconds load_limit{60'000};    ///< For load, allocation and delegates together.
  std::chrono::milliseconds invoke_limit{60'000};  ///< For one inference.
  /// The engine process may serve other such sessions before and after this one: for many small
  /// models in a row, where starting a process would take longest. Without effect in process.
  bool shared_process = false;
};

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

struct Inference {
  std::vector<Tensor> outputs;          ///< In the order of Session::outputs().
  std::chrono::nanoseconds latency{0};  ///< The engine's invoke alone: no copies, no transport.
  std::vector<OpTime> op_times;         ///< Empty unless SessionOptions::profile.
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
  /// Ends the laps after the current inference, at the latest with the next call of `progress`.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then (a few times a second) between two inferences, with those done so far.
  std::function<void(std::size_t done)> progress;
};

/// One inference of many in a row.
struct Lap {
  std::chrono::nanoseconds start{0};    ///< Of the invoke, since repeat() began; steady clock.
  std::chrono::nanoseconds latency{0};  ///< As Inference::latency.
  /// What the threads of the process that runs the engine had of CPUs while this inference ran,
  /// summed over them; read before and after it, outside of `latency`. Nothing where the kernel
  /// does not tell, or when it was not asked for. Counted by the kernel's tick (1 to 4 ms): right
  /// in the sum over laps.
  std::optional<std::chrono::nanoseconds> cpu;
  /// They were ready and waited, because something else had the CPU.
  std::optional<std::chrono::nanoseconds> run_delay;
  std::vector<OpTime> op_times;  ///< Empty unless SessionOptions::profile.
};

struct Laps {
  std::vector<Lap> laps;
  bool stopped = false;       ///< RepeatOptions::stop ended it.
  std::string no_scheduling;  ///< Why the laps have no run delay; "" when they do.
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
  /// Many inferences of the same inputs, back to back, for timing: no answer travels between two of
  /// them. Outputs are thrown away. Fails as infer() does, with SessionOptions::invoke_limit for
  /// each inference; what was timed is lost then. This one calls infer() and reads the threads of
  /// its own process.
  virtual Result<Laps> repeat(const std::vector<TensorView>& inputs, const RepeatOptions& options);
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
  std::string kind;     ///< "litert", "tflite", "onnxruntime", "openvino", "tvm".
  std::string version;  ///< As the library says it.
  std::filesystem::path library;
  std::string sha256;  ///< Of the library file.
  /// What this library can do: kernel sets by name, then "delegates", "op times", "delegated ops".
  std::vector<std::string> abilities = {};
  /// The model formats that it loads, as model::Graph::format names them.
  std::vector<std::string> formats = {};
};

/// The kernel set that sessions with these options run: what was asked for, else the engine's
/// usual. "" for engines that have only their own.
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

/// "litert", "tflite:/path/lib.so": a kind and, when given, the library file.
struct EngineChoice {
  std::string kind = "litert";
  std::filesystem::path library;  ///< Empty: the default that set-up fetched.
  bool force_version = false;     ///< Accept a library version that was not tried.
};
Result<EngineChoice> engine_choice_from_text(std::string_view text);
/// The kinds that this build knows, the default first.
std::vector<std::string> engine_kinds();

/// Opens the engine in this very process (apps that embed it; the worker; unit tests).
Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice);

/// Opens it in a supervised child process (the CLI's way): a crash or a hang of the runtime becomes
/// one sentence. The child is this executable again with the argument kWorkerArgument, so main()
/// must call run_worker_if_asked() first.
Result<std::unique_ptr<Engine>> open_supervised(const EngineChoice& choice);

inline constexpr const char* kWorkerArgument = "--edgeprobe-engine-worker";
/// The exit code of the worker when argv asks for one, else nothing. Call it first in main().
std::optional<int> run_worker_if_asked(int argc, char** argv);

/// The kind that is taken for a model file when none is named, by the file's extension:
/// "onnxruntime" for .onnx, "openvino" for .xml, "tvm" for .so, else "litert".
std::string usual_engine(const std::filesystem::path& model);

/// Where the default library of `kind` is looked for, in order: $EDGEPROBE_<KIND>_LIB,
/// ../lib/edgeprobe/ beside the executable, .deps/engines/ of the checkout.
std::vector<std::filesystem::path> default_libraries(std::string_view kind);

}  // namespace edgeprobe::engine
