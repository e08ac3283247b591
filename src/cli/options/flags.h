// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "dataset/folder.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// The groups of flags that several verbs share, as plain text from the command line.

/// --json [FILE]: to stdout instead of the text, or into a file beside it.
struct JsonFlag {
  bool wanted = false;
  std::string file;
};

struct PipelineFlags {
  std::string model;
  std::string recipe;  ///< Text or a file; "NAME: …" makes that one of several inputs.
  std::vector<std::string> states;  ///< "OUTPUT=INPUT": carried over from frame to frame.
  std::string function;   ///< "prep.py:preprocess": makes the model input instead of the recipe.
  std::string tokenizer;  ///< A tokenizer.json, "prep.py:ids" or a command, for a recipe of text.
  std::string
      interpreter;  ///< For `function` and `tokenizer`; empty: $EDGEPROBE_PYTHON, else python3.
  std::string engine, kernels;  ///< Empty: the usual ones of the model's format.
  std::string target;  ///< The address of a machine that runs 'edgeprobe serve'; "": this one.
  std::optional<int> threads;  ///< If unset: one thread, or the plan's count.
  /// "gpu", "nnapi:LIB.so", "external:LIB.so?key=value&key=value", "LIB.so".
  std::vector<std::string> delegates;
  bool force_engine_version = false;
  double time_limit_s = 60;
  std::string optimization = "all";  ///< off, basic, extended, all.
  std::string precision = "f32";     ///< f32 or engine.
  bool no_spinning = false;
  std::string cpus;         ///< "0,2-3"; empty: all.
  std::string input_shape;  ///< "1x96x96x3": resizes the model's input; empty: as the model says.
};
/// Of `flags.function`, which is not empty.
Result<pipeline::FunctionSpec> function_from(const PipelineFlags& flags);
/// "0,2-3": CPU numbers. Empty text: none.
Result<std::vector<int>> cpus_from_text(std::string_view text);
/// The values of --state.
Result<std::vector<pipeline::CarriedState>> states_from(const PipelineFlags& flags);
/// Opens nothing; fails with kUsage that names the flag. `samples`: those that the pipeline is for.
Result<pipeline::PipelineSpec> spec_from(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples = {});

struct DataFlags {
  std::string data, labels, classes;
  std::string frames;  ///< A whole number of at least 1; empty: all.
};
/// 0 when all are wanted.
Result<std::size_t> frames_from(const DataFlags& flags);
/// Of a folder of pictures, an .npz file or a trace. No samples when no --data was given. Of
/// recorded tensors the first --frames are taken, since their order may matter. kUsage when labels
/// are given that belong to none of them. `warning` receives a sentence when --frames leaves out
/// whole classes: an accuracy is then that of the others.
Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags,
                                                  std::string* warning = nullptr);
/// "2GB", "500MB", "1000000": bytes in powers of 1000.
Result<std::uint64_t> bytes_from_text(const std::string& text);

/// Writes `text` to the flag's file, or to `out` when there is none.
Status write_result(const JsonFlag& flag, const std::string& text, std::ostream& out);

}  // namespace edgeprobe::cli
