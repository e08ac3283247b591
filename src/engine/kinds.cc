// SPDX-License-Identifier: Apache-2.0
#include "engine/kinds.h"

#include <algorithm>

#include "core/text.h"
#include "engine/litert/api.h"
#include "engine/litert/engine.h"
#include "engine/native/engine.h"
#include "engine/onnxruntime/api.h"
#include "engine/onnxruntime/engine.h"
#include "engine/openvino/engine.h"
#include "engine/plugin.h"
#include "engine/stretch/engine.h"
#include "engine/tflite/engine.h"
#include "engine/tvm/engine.h"

namespace edgeprobe::engine {
namespace {

using enum Capability;

constexpr std::array kEngines{
    EngineKind{
        EngineId::kLiteRt,
        "litert",
        "EDGEPROBE_LITERT_LIB",
        {"libLiteRt.so", nullptr},
        "",
        litert::kTriedVersions,
        "ai_edge_litert",
        "ai_edge_litert",
        "libLiteRt.so",
        {FileFormat::kTflite},
        {kLayerCapture, kLayerTimes, kLayerReplay, kKernelSets, kDelegates, kPrecision, kThreads},
        litert::open},
    EngineKind{EngineId::kTflite,
               "tflite",
               "EDGEPROBE_TFLITE_LIB",
               {"libjnitensorflowlite.so", "libtensorflowlite_c.so"},
               "--tflite",
               {{2, 15}, {2, 20}},
               "",
               "",
               "",
               {FileFormat::kTflite},
               {kLayerCapture, kLayerTimes, kLayerReplay, kKernelSets, kDelegates, kPrecision,
                kThreads, kModelState},
               tflite::open},
    EngineKind{EngineId::kOnnxRuntime,
               "onnxruntime",
               "EDGEPROBE_ONNXRUNTIME_LIB",
               {"libonnxruntime.so", nullptr},
               "--onnxruntime",
               onnxruntime::kTriedVersions,
               "onnxruntime",
               "onnxruntime",
               "capi/libonnxruntime.so",
               {FileFormat::kOnnx},
               {kLayerCapture, kLayerTimes, kLayerReplay, kOptimizationLevels, kSpinning,
                kDelegates, kCustomOps, kPrecision, kThreads},
               onnxruntime::open},
    EngineKind{EngineId::kTvm,
               "tvm",
               "EDGEPROBE_TVM_LIB",
               {"tvm/libtvm_runtime.so", nullptr},
               "--tvm",
               {{0, 27}, {0, 27}},
               "tvm",
               "apache_tvm",
               "lib/libtvm_runtime.so",
               {FileFormat::kTvm},
               {kLayerTimes, kThreads, kCompiledModels},
               tvm::open},
    EngineKind{EngineId::kOpenVino,
               "openvino",
               "EDGEPROBE_OPENVINO_LIB",
               {"openvino/libs/libopenvino.so.2641", nullptr},
               "--openvino",
               {{2026, 4}, {2026, 4}},
               "openvino",
               "openvino",
               "libs/libopenvino.so",
               {FileFormat::kTflite, FileFormat::kOnnx, FileFormat::kOpenVinoIr},
               {kLayerCapture, kLayerTimes, kPrecision, kThreads},
               openvino::open},
    EngineKind{EngineId::kStretch,
               "stretch",
               "",
               {},
               "",
               {},
               "",
               "",
               "",
               {FileFormat::kTflite, FileFormat::kOnnx},
               {kLayerCapture, kLayerTimes},
               stretch::open,
               true},
    EngineKind{EngineId::kPython,
               "python",
               "",
               {},
               "",
               {},
               "",
               "",
               "",
               {},
               {kLayerCapture, kPrecision, kThreads, kModelState},
               open_plugin_in_process,
               false,
               true},
    EngineKind{EngineId::kNative,
               "native",
               "",
               {},
               "",
               {},
               "",
               "",
               "",
               {},
               {kLayerCapture, kPrecision, kThreads, kModelState},
               native::open,
               false,
               true},
};

constexpr std::array kFormats{
    FormatKind{FileFormat::kTflite, "tflite", ".tflite", EngineId::kLiteRt, false},
    FormatKind{FileFormat::kOnnx, "onnx", ".onnx", EngineId::kOnnxRuntime, false},
    FormatKind{FileFormat::kOpenVinoIr, "openvino-ir", ".xml", EngineId::kOpenVino, true},
    FormatKind{FileFormat::kTvm, "tvm", ".so", EngineId::kTvm, true},
};

constexpr std::array kCapabilities{
    kLayerCapture, kLayerTimes, kLayerReplay, kKernelSets, kOptimizationLevels, kSpinning,
    kDelegates,    kCustomOps,  kPrecision,   kThreads,    kModelState,         kCompiledModels,
};

template <class Rows>
constexpr bool in_order_of_id(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].id) != i) return false;
  return true;
}
static_assert(in_order_of_id(kEngines) && in_order_of_id(kFormats));

Error not_taken(const EngineKind& kind, const std::string& flag, Capability capability) {
  return {ErrorKind::kUsage,
          flag + " is for " + listed(engine_names(capability)) +
              (kind.plugged ? "; plug-ins have" : std::string("; engine ") + kind.name + " has") +
              " no such setting"};
}

}  // namespace

const char* name(Capability capability) {
  switch (capability) {
    case kLayerCapture: return "layer capture";
    case kLayerTimes: return "layer times";
    case kLayerReplay: return "layer replay";
    case kKernelSets: return "kernel sets";
    case kOptimizationLevels: return "optimization levels";
    case kSpinning: return "spinning";
    case kDelegates: return "delegates";
    case kCustomOps: return "custom operators";
    case kPrecision: return "precision";
    case kThreads: return "threads";
    case kModelState: return "model state";
    case kCompiledModels: return "compiled models";
  }
  return "unknown";
}

std::span<const Capability> all_capabilities() { return kCapabilities; }

std::span<const EngineKind> engine_kinds() { return kEngines; }

const EngineKind& kind_of(EngineId id) { return kEngines[static_cast<std::size_t>(id)]; }

const EngineKind* find_kind(std::string_view name) {
  for (const EngineKind& kind : kEngines)
    if (name == kind.name) return &kind;
  return nullptr;
}

const EngineKind& kind_of(const EngineIdentity& identity) {
  const EngineKind* const known = find_kind(identity.kind);
  return known ? *known : kind_of(EngineId::kPython);
}

std::string untried_note(const EngineIdentity& identity) {
  const EngineKind* const kind = find_kind(identity.kind);
  if (!kind || kind->planned || kind->tried.has(version_of(identity.version))) return "";
  return "edgeprobe was never tried with this " + identity.kind + " (version " + identity.version +
         "), only with " + version_text(kind->tried) +
         "; if a result looks wrong, repeat it with one of these as --engine " + identity.kind +
         ":LIBRARY";
}

std::string first_engine() { return kEngines.front().name; }

std::string kernels_used(const EngineIdentity& identity, const SessionOptions& options) {
  if (const auto kernels = own<TfliteOptions>(options).kernels) return name(*kernels);
  const auto& can = identity.abilities;
  return std::find(can.begin(), can.end(), name(Kernels::kXnnpack)) != can.end()
             ? name(Kernels::kXnnpack)
             : "";
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineKind& kind : kEngines)
    if (!kind.plugged) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> engine_names(Capability capability) {
  std::vector<std::string> names;
  for (const EngineKind& kind : kEngines)
    if (kind.can(capability) && !kind.plugged) names.emplace_back(kind.name);
  return names;
}

std::span<const FormatKind> file_formats() { return kFormats; }

const FormatKind& format_of(FileFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

bool EngineKind::opens(std::string_view format) const {
  if (plugged) return true;
  for (const FormatKind& known : kFormats)
    if (format == known.name) return opens(known.id);
  return false;
}

std::vector<std::string> format_names(const EngineKind& kind) {
  std::vector<std::string> names;
  for (const FormatKind& format : kFormats)
    if (kind.opens(format.id)) names.emplace_back(format.name);
  return names;
}

std::optional<FileFormat> closed_format(ByteView file) {
  constexpr std::string_view kElf(
      "\x7f"
      "ELF");
  const std::string_view text = file.text();
  if (text.starts_with(kElf)) return FileFormat::kTvm;
  const auto start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const auto root = start == std::string_view::npos ? "" : text.substr(start);
  if (root.starts_with("<?xml") || root.starts_with("<net")) return FileFormat::kOpenVinoIr;
  return std::nullopt;
}

std::string closed_name(const EngineChoice& engine, const std::filesystem::path& model,
                        ByteView file) {
  const EngineKind* const kind = find_kind(engine.kind);
  const std::string extension = model.extension().string();
  const bool is_read = std::any_of(kFormats.begin(), kFormats.end(), [&](const FormatKind& format) {
    return !format.closed && extension == format.extension;
  });
  if (kind && kind->plugged && engine.address.empty() && !is_read)
    return extension.size() > 1 ? extension.substr(1) : "model";
  const auto closed = closed_format(file);
  return closed ? format_of(*closed).name : "";
}

const EngineKind& default_engine(const std::filesystem::path& model) {
  const std::string extension = model.extension().string();
  for (const FormatKind& format : kFormats)
    if (extension == format.extension) return kind_of(format.default_engine);
  return kEngines.front();
}

const EngineKind* engine_like(const EngineKind& kind, Capability capability) {
  if (kind.can(capability)) return &kind;
  for (const EngineKind& other : kEngines) {
    bool same = other.can(capability);
    for (const FormatKind& format : kFormats)
      same = same && (!kind.opens(format.id) || other.opens(format.id));
    if (same) return &other;
  }
  return nullptr;
}

Status check_format(const EngineKind& kind, std::string_view format, std::string_view label) {
  if (kind.opens(format)) return {};
  std::string reads;
  for (const std::string& one : format_names(kind)) reads += (reads.empty() ? "" : ", ") + one;
  return Error{ErrorKind::kUsage, "'" + sanitized(label) + "' is a model of format " +
                                      sanitized(format, 60) + ", engine " + kind.name + " loads " +
                                      reads + "; choose another engine"};
}

Error beside_plan(const EngineKind& kind, const std::string& option) {
  return {ErrorKind::kUsage, option + " with a plan: engine " + kind.name +
                                 " runs what its plan says; leave " + option +
                                 " out, or change the plan"};
}

Status check_options(const EngineKind& kind, const SessionOptions& options) {
  const auto kernels = own<TfliteOptions>(options).kernels;
  if (kind.planned)
    if (const char* const beside = options.threads > 1          ? "--threads"
                                   : !options.cpus.empty()      ? "--cpus"
                                   : kernels                    ? "--kernels"
                                   : !options.delegates.empty() ? "--delegate"
                                                                : nullptr)
      return beside_plan(kind, beside);
  const auto onnxruntime = own<OnnxRuntimeOptions>(options);
  if (onnxruntime.optimization != Optimization::kAll && !kind.can(kOptimizationLevels))
    return not_taken(kind, "--optimization", kOptimizationLevels);
  if (onnxruntime.parallel && !kind.can(kOptimizationLevels))
    return not_taken(kind, "parallel execution", kOptimizationLevels);
  if (!onnxruntime.spinning && !kind.can(kSpinning))
    return not_taken(kind, "--no-spinning", kSpinning);
  if (options.precision == Precision::kEngine && !kind.can(kPrecision))
    return not_taken(kind, "--precision engine", kPrecision);
  if (kernels && !kind.can(kKernelSets))
    return Error{ErrorKind::kUsage, std::string("engine ") + kind.name +
                                        " has one set of kernels; --kernels " + name(*kernels) +
                                        " is for " + listed(engine_names(kKernelSets))};
  if (!options.custom_ops.empty() && !kind.can(kCustomOps))
    return not_taken(kind, "--custom-ops", kCustomOps);
  if (!options.delegates.empty() && !kind.can(kDelegates))
    return Error{ErrorKind::kUnsupported,
                 std::string("engine ") + kind.name + " takes no delegates such as '" +
                     sanitized(name_of(options.delegates.front()), 300) + "'; --delegate is for " +
                     listed(engine_names(kDelegates))};
  return {};
}

}  // namespace edgeprobe::engine
