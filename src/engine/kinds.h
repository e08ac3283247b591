// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/engine.h"
#include "engine/version.h"

/// The table of engines and the formats that they open. All facts about engines and formats are
/// here; their names occur nowhere else.
namespace edgeprobe::engine {

enum class EngineId { kLiteRt, kTflite, kOnnxRuntime, kTvm, kOpenVino, kStretch, kPython, kNative };

/// The formats of model files that some engine opens.
enum class FileFormat { kTflite, kOnnx, kOpenVinoIr, kTvm };

/// Capabilities of an engine. A library may lack some: EngineIdentity::abilities.
enum class Capability {
  kLayerCapture,        ///< Returns every intermediate tensor that is made an output.
  kLayerTimes,          ///< Reports the time of each kernel.
  kLayerReplay,         ///< Runs single layers exactly as in the whole model.
  kKernelSets,          ///< Takes TfliteOptions::kernels.
  kOptimizationLevels,  ///< Takes OnnxRuntimeOptions::optimization.
  kSpinning,            ///< Takes OnnxRuntimeOptions::spinning.
  kDelegates,           ///< Takes SessionOptions::delegates.
  kCustomOps,           ///< Takes SessionOptions::custom_ops.
  kPrecision,           ///< Computes differently at Precision::kEngine on some machines.
  kThreads,             ///< Takes SessionOptions::threads above 1.
  kModelState,          ///< Keeps a model's state from one inference to the next.
  kCompiledModels,      ///< Runs models compiled, and possibly tuned, beforehand.
};
const char* name(Capability capability);
std::span<const Capability> all_capabilities();

/// A set of values of an enum.
template <class E>
class SetOf {
 public:
  constexpr SetOf() = default;
  constexpr SetOf(std::initializer_list<E> values) {
    for (const E value : values) bits_ |= bit(value);
  }
  constexpr bool has(E value) const { return (bits_ & bit(value)) != 0; }

 private:
  static constexpr std::uint32_t bit(E value) {
    return std::uint32_t{1} << static_cast<unsigned>(value);
  }
  std::uint32_t bits_ = 0;
};

using OpenEngine = Result<std::unique_ptr<Engine>> (*)(const std::filesystem::path& library);

/// An engine; the rows of the table are in the order of EngineId.
struct EngineKind {
  EngineId id{};
  const char* name = "";      ///< As in --engine, traces and reports.
  const char* variable = "";  ///< Environment variable that names the default library.
  /// The default library below a folder of runtimes: the first that exists.
  std::array<const char*, 2> libraries{};
  const char* setup = "";  ///< The option of script/setup that fetches it; "" if none is needed.
  TriedVersions tried;
  /// The Python package that contains its library, the distribution that installs the package, and
  /// the library's file name, possibly followed by a version; "" for none.
  const char* package = "";
  const char* distribution = "";
  const char* packaged = "";
  SetOf<FileFormat> formats;
  SetOf<Capability> capabilities;
  OpenEngine open = nullptr;
  /// Runs a model on other engines according to a plan. The file given with the engine's name is
  /// the plan, not a library.
  bool planned = false;
  /// Opens plug-ins, each with a name of its own, which load any file. The text after the engine's
  /// name is the plug-in: engine/plugin.h, engine/native/library.h.
  bool plugged = false;

  constexpr bool can(Capability capability) const { return capabilities.has(capability); }
  constexpr bool opens(FileFormat format) const { return formats.has(format); }
  /// Takes the format's name; false for an unknown name.
  bool opens(std::string_view format) const;
};
std::span<const EngineKind> engine_kinds();
const EngineKind& kind_of(EngineId id);
/// Null for an unknown name.
const EngineKind* find_kind(std::string_view name);
/// The row of an opened engine. Plug-ins of both rows have the same abilities, and share one here.
const EngineKind& kind_of(const EngineIdentity& identity);
/// A warning for a library version that edgeprobe was never tested with; else "".
std::string untried_note(const EngineIdentity& identity);
/// The built-in engines, without plug-ins.
std::vector<std::string> engine_names();
/// Those with a capability.
std::vector<std::string> engine_names(Capability capability);

/// A format; the rows of the table are in the order of FileFormat.
struct FormatKind {
  FileFormat id{};
  const char* name = "";       ///< As in model::Graph::format.
  const char* extension = "";  ///< Including the dot.
  EngineId default_engine{};   ///< Default for files with this extension.
  bool closed = false;         ///< Only the format's own engine knows the layers.
};
std::span<const FormatKind> file_formats();
const FormatKind& format_of(FileFormat format);
/// The names of the formats that an engine opens.
std::vector<std::string> format_names(const EngineKind& kind);
/// The closed format that a file's first bytes indicate; unset for formats that model/ reads.
std::optional<FileFormat> closed_format(ByteView file);

/// The format of a file whose layers only its own engine knows, "" for one that model/ reads: a
/// closed format, or for a plug-in any other file, by its extension.
std::string closed_name(const EngineChoice& engine, const std::filesystem::path& model,
                        ByteView file);

/// The default engine for a model file, by its extension; the first engine for an unknown one.
const EngineKind& default_engine(const std::filesystem::path& model);
/// The first engine with the capability that opens the same formats as `kind`; `kind` itself if it
/// has the capability. Null if there is none.
const EngineKind* engine_like(const EngineKind& kind, Capability capability);

/// kUsage if `kind` does not open the format; `label` names the model.
Status check_format(const EngineKind& kind, std::string_view format, std::string_view label);
/// kUsage for an option that a plan specifies itself, such as "--threads".
Error beside_plan(const EngineKind& kind, const std::string& option);
/// An error for the first option that `kind` lacks or that its plan specifies, naming the engine
/// and those that accept the option: kUsage, or kUnsupported for a delegate.
Status check_options(const EngineKind& kind, const SessionOptions& options);

}  // namespace edgeprobe::engine
