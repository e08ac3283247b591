// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/kinds.h"
#include "model/format.h"

namespace edgeprobe::cli {

/// What a model is converted to.
struct ConversionTarget {
  std::string name;  ///< Of --to.
  /// Nothing: the source's own format, quantised.
  std::optional<engine::FileFormat> format;
};
/// The two quantisations, then each format that only its own engine reads, by that engine's name.
std::vector<ConversionTarget> conversion_targets();
/// Nothing for a name that is not among them.
std::optional<ConversionTarget> conversion_target(const std::string& name);

/// One conversion, as python/edgeprobe/convert understands it.
struct Conversion {
  ConversionTarget to;
  model::Format format = model::Format::kTflite;  ///< Of the source.
  std::filesystem::path model, out;
  std::vector<TensorSpec> inputs, outputs;  ///< Of the source, as a session has them.
  /// Values of the one input, frame after frame; empty: none.
  std::filesystem::path calibration;
  std::size_t frames = 0;  ///< In `calibration`.
  /// A JSON list, as the tool takes it: names of nodes that ONNX Runtime leaves in float32, or a
  /// whole recipe of ai-edge-quantizer. Empty: none.
  std::string keep_float;
};

/// What the converter says about its work.
struct Converted {
  std::string tool;  ///< "onnxruntime 1.31.1".
  std::vector<std::string> notes;
};

/// The recipe with quantize(model) at the end of its pre-processing, unless it quantises itself.
std::string with_quantize(const std::string& recipe);

/// The source's recipe for the result, which may want codes where the source wants real numbers.
std::string recipe_for(const std::string& recipe, const model::Graph& graph);

/// Runs the tool that converts so: in `python` when that is given (it must have the tool's
/// packages), else in an environment under $XDG_CACHE_HOME/edgeprobe that is made, with pinned
/// packages, when it is not there. The result may be unfinished when this fails.
Result<Converted> convert(const Conversion& wanted, const std::string& python, Terminal& terminal);

}  // namespace edgeprobe::cli
