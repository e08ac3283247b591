#pragma once

#include <chrono>
#include <filesystem>
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

/// Which implementation of the operators an engine is asked to use.
enum class Kernels { kXnnpack, kBuiltin, kReference };
const char* name(Kernels kernels);
std::optional<Kernels> kernels_from_name(std::string_view text);

/// An external delegate: a library and the key=value options that it is given.
struct Delegate {
  std::filesystem::path library;
  std::vector<std::pair<std::string, std::string>> options;
};

struct SessionOptions {
  Kernels kernels = Kernels::kXnnpack;
  int threads = 1;
  std::vector<Delegate> delegates;
  bool profile = false;                ///< Record the time of each op.
  std::map<std::string, Shape> input_shapes;  ///< Resizes inputs before allocation, by name.
  std::chrono::milliseconds load_limit{60'000};    ///< For load, allocation and delegates together.
  std::chrono::milliseconds invoke_limit{60'000};  ///< For one inference.
  /// The engine process may serve other such sessions before and after this one: for many small models in a row, where
  /// starting a process would take longest. Without effect in process.
  bool shared_process = false;
};

/// Time of one op in one inference. `op` is the index of the operator in the main graph, or the
/// engine's own sequence number when `inner` (an op inside a delegate).
struct OpTime {
  int op = -1;
  std::string type;
  bool inner = false;
  std::chrono::nanoseconds time{0};
};

struct Inference {
  std::vector<Tensor> outputs;  ///< In the order of Session::outputs().
  std::chrono::nanoseconds latency{0};  ///< The engine's invoke alone: no copies, no transport.
  std::vector<OpTime> op_times;         ///< Empty unless SessionOptions::profile.
};

/// What became of one requested (or default) delegate.
struct Delegation {
  std::string delegate;      ///< "xnnpack", or the file name of an external delegate.
  int ops_taken = 0;         ///< Operators of the main graph that it runs.
  int ops_total = 0;
  std::vector<int> ops;      ///< Their indices when the engine tells; else empty.
};

/// A loaded model, ready to run. Not thread-safe; one inference at a time.
class Session {
 public:
  virtual ~Session() = default;
  /// Specs with the shapes that this session really uses (dynamic dimensions resolved).
  virtual const std::vector<TensorSpec>& inputs() const = 0;
  /// An output whose shape the model decides while it runs has the engine's guess until the first infer().
  virtual const std::vector<TensorSpec>& outputs() const = 0;
  virtual const std::vector<Delegation>& delegations() const = 0;
  /// One warning a line: a delegate that took nothing, a kernel set that the engine ignores.
  virtual const std::vector<std::string>& warnings() const = 0;
  /// Inputs in the order, dtype and shape of inputs(). kUsage when they do not fit, kTarget when the
  /// engine fails, crashes or passes a time limit (the sentence names the step and the signal).
  virtual Result<Inference> infer(const std::vector<TensorView>& inputs) = 0;
};

/// What was opened, for provenance.
struct EngineIdentity {
  std::string kind;      ///< "litert", "tflite".
  std::string version;   ///< As the library says it.
  std::filesystem::path library;
  std::string sha256;    ///< Of the library file.
  /// What this library can do: kernel sets by name, then "delegates", "op times", "delegated ops".
  std::vector<std::string> abilities = {};
};

/// A runtime library that was opened; sessions keep it alive.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineIdentity& identity() const = 0;
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

/// Where the default library of `kind` is looked for, in order: $EDGEPROBE_LITERT_LIB or
/// $EDGEPROBE_TFLITE_LIB, ../lib/edgeprobe/ beside the executable, .deps/engines/ of the checkout.
std::vector<std::filesystem::path> default_libraries(std::string_view kind);

}  // namespace edgeprobe::engine
