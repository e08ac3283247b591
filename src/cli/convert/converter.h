// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/convert/method.h"
#include "cli/convert/plugin_compiler.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "model/format.h"

namespace edgeprobe::cli {

/// Target of a conversion.
struct ConversionTarget {
  std::string name;                                    ///< Value of --to without options.
  const Method* method = nullptr;                      ///< Null: `compiler` converts.
  Options options = {};                                ///< Of the method, all of them.
  std::shared_ptr<PluginCompiler> compiler = nullptr;  ///< Null: a tool of edgeprobe's own.

  /// True if samples of the data go into the conversion.
  bool calibrates() const { return compiler ? compiler->about().calibrates : method->calibrates; }
  /// True if --python runs the source's engine, too: a plug-in, or a tool that is the framework of
  /// the source.
  bool runs_in_framework() const;
  /// True if the conversion trains the model further.
  bool trains() const;
};
/// A method with its usual options; `source` must be one of its sources.
ConversionTarget conversion_target(std::string_view to, SourceKind source);

/// Values of inputs, frame after frame, in a file.
struct FrameFile {
  std::filesystem::path file;  ///< Empty: none.
  std::size_t frames = 0;
};

/// One conversion, as passed to python/edgeprobe/convert.
struct Conversion {
  ConversionTarget to;
  std::string format;  ///< name(SourceKind); for a plug-in also "", if it has none.
  std::filesystem::path model, out;
  std::vector<TensorSpec> inputs, outputs;  ///< Specs of the source, as in a session.
  FrameFile calibration = {};
  FrameFile train = {};          ///< The examples to train with.
  std::vector<int> labels = {};  ///< The class of each example.
  /// A JSON list in the tool's form: names of nodes that ONNX Runtime leaves in float32, or a whole
  /// recipe of ai-edge-quantizer. Empty: none.
  std::string keep_float = {};
};

/// The converter's report.
struct Converted {
  std::string tool, version;  ///< "onnxruntime", "1.31.1".
  Options options;
  std::vector<std::string> notes;
  /// Changes of each weight, as the tool reports them: a JSON list, or empty.
  std::string weights = {};
  std::string for_machine = {};  ///< "aarch64-linux-gnu" if the result cannot run here.
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
