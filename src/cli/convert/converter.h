// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/convert/plugin_compiler.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/kinds.h"
#include "model/format.h"

namespace edgeprobe::cli {

/// Target of a conversion.
struct ConversionTarget {
  std::string name;  ///< Value of --to.
  /// Unset: the source's own format, quantised, or what `compiler` writes.
  std::optional<engine::FileFormat> format;
  std::shared_ptr<PluginCompiler> compiler = nullptr;  ///< Null: a tool of edgeprobe's own.

  /// True if samples of the data go into the conversion.
  bool calibrates() const { return compiler ? compiler->about().calibrates : name == "int8"; }
};
/// The two quantisations, then each format that only its own engine reads, under that engine's
/// name.
std::vector<ConversionTarget> conversion_targets();
/// Returns nothing for an unknown name.
std::optional<ConversionTarget> conversion_target(const std::string& name);

/// One conversion, as passed to python/edgeprobe/convert.
struct Conversion {
  ConversionTarget to;
  /// Format of the source; any other that the source's engine opens if a plug-in compiles.
  std::optional<model::Format> format;
  std::filesystem::path model, out;
  std::vector<TensorSpec> inputs, outputs;  ///< Specs of the source, as in a session.
  /// Values of the single input, frame after frame; empty: none.
  std::filesystem::path calibration;
  std::size_t frames = 0;  ///< Frames in `calibration`.
  /// A JSON list in the tool's form: names of nodes that ONNX Runtime leaves in float32, or a whole
  /// recipe of ai-edge-quantizer. Empty: none.
  std::string keep_float;
};

/// The converter's report.
struct Converted {
  std::string tool, version;                                 ///< "onnxruntime", "1.31.1".
  std::vector<std::pair<std::string, std::string>> options;  ///< Of a plug-in.
  std::vector<std::string> notes;
  std::string label() const { return tool + " " + version; }
};

/// The recipe with quantize(model) appended to its pre-processing, unless it quantises itself.
std::string with_quantize(const std::string& recipe);

/// The source's recipe adapted to the result, which may take codes where the source takes real
/// numbers.
std::string recipe_for(const std::string& recipe, const model::Graph& graph);

/// Runs the plug-in or the tool for this conversion: the tool with `python` if given (it must have
/// the tool's packages), else in an environment under $XDG_CACHE_HOME/edgeprobe, created with
/// pinned packages if missing. On failure the result may be incomplete.
Result<Converted> convert(const Conversion& wanted, const std::string& python, Terminal& terminal);

}  // namespace edgeprobe::cli
