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

/// The table of engines and the formats that they open. A question about an engine or a format is
/// answered here; the names stand nowhere else.
namespace edgeprobe::engine {

enum class EngineId { kLiteRt, kTflite, kOnnxRuntime, kTvm, kOpenVino, kStretch };

/// The formats of model files that some engine opens.
enum class FileFormat { kTflite, kOnnx, kOpenVinoIr, kTvm };

/// What an engine can do. A library of it may lack some: EngineIdentity::abilities.
enum class Capability {
  kLayerCapture,        ///< Shows every intermediate that is made an output.
  kLayerTimes,          ///< Gives the time of each kernel.
  kLayerReplay,         ///< Runs single layers as they compute in the whole model.
  kKernelSets,          ///< Takes TfliteOptions::kernels.
  kOptimizationLevels,  ///< Takes OnnxRuntimeOptions::optimization.
  kSpinning,            ///< Takes OnnxRuntimeOptions::spinning.
  kDelegates,           ///< Takes SessionOptions::delegates.
  kCustomOps,           ///< Takes SessionOptions::custom_ops.
  kPrecision,           ///< Computes otherwise at Precision::kEngine, on some machine.
  kThreads,             ///< Takes SessionOptions::threads above 1.
  kModelState,          ///< Keeps what a model with a state writes from one inference to the next.
  kCompiledModels,      ///< Runs a model that was compiled, and perhaps tuned, beforehand.
};
const char* name(Capability capability);
std::span<const Capability> all_capabilities();

/// Values of an enum.
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
  const char* name = "";      ///< Of --engine, of traces and reports.
  const char* variable = "";  ///< Of the environment; names the default library.
  /// The default library below a folder of runtimes: the first one that exists.
  std::array<const char*, 2> libraries{};
  const char* setup = "";  ///< The option of script/setup that fetches it; "": none is needed.
  TriedVersions tried;
  /// The Python package that holds a library of it, the distribution that brings the package, and
  /// the library inside, whose name may go on with a version; "" for none.
  const char* package = "";
  const char* distribution = "";
  const char* packaged = "";
  SetOf<FileFormat> formats;
  SetOf<Capability> capabilities;
  OpenEngine open = nullptr;
  /// It runs a model on others, as a plan says, and the plan is the file behind its name; it has no
  /// library of its own.
  bool planned = false;

  constexpr bool can(Capability capability) const { return capabilities.has(capability); }
  constexpr bool opens(FileFormat format) const { return formats.has(format); }
  /// By the format's name; false for a name that is not in the table of formats.
  bool opens(std::string_view format) const;
};
std::span<const EngineKind> engine_kinds();
const EngineKind& kind_of(EngineId id);
/// Null for a name that is not in the table.
const EngineKind* find_kind(std::string_view name);
/// The warning of a library whose version edgeprobe was never tried with; "" for the others.
std::string untried_note(const EngineIdentity& identity);
std::vector<std::string> engine_names();
/// Of those with a capability.
std::vector<std::string> engine_names(Capability capability);

/// A format; the rows of the table are in the order of FileFormat.
struct FormatKind {
  FileFormat id{};
  const char* name = "";       ///< As model::Graph::format has it.
  const char* extension = "";  ///< With its dot.
  EngineId default_engine{};   ///< For a file with this extension.
  bool closed = false;         ///< Only its own engine sees its layers.
};
std::span<const FormatKind> file_formats();
const FormatKind& format_of(FileFormat format);
/// The names of the formats that an engine opens.
std::vector<std::string> format_names(const EngineKind& kind);
/// The closed format that a file's first bytes are of; nothing for the formats that model/ reads.
std::optional<FileFormat> closed_format(ByteView file);

/// The engine for a model file when none is named, by the file's extension; the first engine for
/// an unknown one.
const EngineKind& default_engine(const std::filesystem::path& model);
/// The first engine that opens what `kind` opens and has the capability: `kind` itself if it can.
/// Null when there is none.
const EngineKind* engine_like(const EngineKind& kind, Capability capability);

/// kUsage when `kind` does not open the format; `label` names the model.
Status check_format(const EngineKind& kind, std::string_view format, std::string_view label);
/// kUsage for an option that says what a plan says, such as "--threads".
Error beside_plan(const EngineKind& kind, const std::string& option);
/// An error that names the engine, and those that take it, for the first option that `kind` does
/// not have or whose plan says otherwise: kUsage, or kUnsupported for a delegate.
Status check_options(const EngineKind& kind, const SessionOptions& options);

}  // namespace edgeprobe::engine
