// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/shape.h"

/// Options of a session: plain values that can be compared, stored and sent.
namespace edgeprobe::engine {

/// An implementation of TFLite's operators.
enum class Kernels { kXnnpack, kBuiltin, kReference };
const char* name(Kernels kernels);
std::optional<Kernels> kernels_from_name(std::string_view text);

/// An external component that takes over operators: a TFLite delegate or a plug-in execution
/// provider.
struct Delegate {
  enum class Kind {
    kExternal,  ///< `library` is the plug-in.
    /// TFLite's GPU delegate, from `library` if set, else from the engine's own library.
    kGpu,
    kNnapi,  ///< The same for NNAPI.
  };
  std::filesystem::path library;
  std::vector<std::pair<std::string, std::string>> options;
  Kind kind = Kind::kExternal;

  bool operator==(const Delegate&) const = default;
};

/// "gpu", "nnapi", or the path of the plug-in.
std::string name_of(const Delegate& delegate);

/// How far an engine may rewrite the graph; as ONNX Runtime's levels. kFile is kAll without
/// rewrites that change the file's codes: quantised kernels for float weights, merged pairs of
/// QuantizeLinear and DequantizeLinear.
enum class Optimization { kOff, kBasic, kExtended, kAll, kFile };
const char* name(Optimization level);
std::optional<Optimization> optimization_from_name(std::string_view text);

/// Precision in which an engine may compute the float32 parts of a model file.
enum class Precision {
  kFloat32,  ///< As in the file; needed for validation.
  kEngine,   ///< The engine's choice for this processor, e.g. bfloat16.
};
const char* name(Precision precision);  ///< "f32", "engine".
std::optional<Precision> precision_from_name(std::string_view text);

/// Options of the engines that run TFLite's kernels: litert and tflite.
struct TfliteOptions {
  std::optional<Kernels> kernels;  ///< Unset: the engine's default, XNNPACK.

  bool operator==(const TfliteOptions&) const = default;
};

struct OnnxRuntimeOptions {
  Optimization optimization = Optimization::kAll;
  bool spinning = true;  ///< Idle threads of a pool may spin before they sleep.
  /// Independent operators may run at the same time, each on one thread of an equally large pool
  /// (ORT_PARALLEL).
  bool parallel = false;

  bool operator==(const OnnxRuntimeOptions&) const = default;
};

/// Options that not all engines have. The first alternative, none set, suits every engine; for the
/// others, check_options() of engine/kinds.h names the engines.
using OwnOptions = std::variant<std::monostate, TfliteOptions, OnnxRuntimeOptions>;

struct SessionOptions {
  int threads = 1;
  /// The CPUs that may run the engine's threads, counted from 0; empty: all.
  std::vector<int> cpus;
  std::vector<Delegate> delegates;
  /// Libraries with operators that the engine lacks (ONNX Runtime: RegisterCustomOps).
  std::vector<std::filesystem::path> custom_ops;
  Precision precision = Precision::kFloat32;
  bool profile = false;  ///< Record the time of each op.
  /// Positions in Session::layers() whose results follow the outputs, in this order.
  std::vector<int> capture;
  /// Folder that may contain the model's external data (ONNX); nothing above it is read. Empty:
  /// none allowed.
  std::filesystem::path folder;
  std::map<std::string, Shape> input_shapes;       ///< Resizes inputs before allocation, by name.
  std::chrono::milliseconds load_limit{60'000};    ///< Limit for load, allocation and delegates
                                                   ///< together.
  std::chrono::milliseconds invoke_limit{60'000};  ///< For one inference.
  /// The engine process may serve other such sessions before and after this one: for many small
  /// models in a row, whose time would be dominated by process starts. No effect in process.
  bool shared_process = false;
  OwnOptions own;

  bool operator==(const SessionOptions&) const = default;
};

/// The options of one engine; its defaults if none are set.
template <class Options>
Options own(const SessionOptions& options) {
  const auto* const found = std::get_if<Options>(&options.own);
  return found ? *found : Options{};
}

/// The options as JSON text; preserves any bytes in names and paths.
std::string to_json(const SessionOptions& options);
/// Missing keys keep their defaults. kUsage for an unknown key, a value of the wrong type or out of
/// range, and own options of two engines: the error names the key.
Result<SessionOptions> session_options_from_json(std::string_view text);

/// A delegate in the form of --delegate: "gpu", "nnapi", either with ":LIB.so", "external:LIB.so"
/// or just "LIB.so"; then "?key=value&key=value". kUsage for other text.
Result<Delegate> delegate_from_text(const std::string& text);

}  // namespace edgeprobe::engine
