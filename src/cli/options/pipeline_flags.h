// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/options/parser.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// A model and how to run it: the flags that most verbs take, as plain text.
struct PipelineFlags {
  std::string model;
  std::string recipe;  ///< Text or a file; "NAME: …" is the recipe of one of several inputs.
  std::vector<std::string> states;  ///< "OUTPUT=INPUT": carried over from frame to frame.
  std::string function;   ///< "prep.py:preprocess": computes the model input instead of the recipe.
  std::string tokenizer;  ///< A tokenizer.json, "prep.py:ids" or a command, for text recipes.
  /// The Python that runs plug-ins, `function` and `tokenizer`; empty: $EDGEPROBE_PYTHON, else
  /// python3.
  std::string interpreter;
  std::string engine, kernels;  ///< Empty: the defaults of the model's format.
  /// Libraries with engines of the user's own. Only the command line names them, never a file.
  std::vector<std::string> plugins;
  const std::string* data = nullptr;  ///< --data, which may name one of `plugins`.
  std::string target;  ///< The address of a machine that runs 'edgeprobe serve'; "": this one.
  std::optional<int> threads;  ///< If unset: one thread, or the plan's count.
  /// "gpu", "nnapi:LIB.so", "external:LIB.so?key=value&key=value", "LIB.so".
  std::vector<std::string> delegates;
  std::vector<std::string> custom_ops;  ///< Libraries of operators that the engine lacks.
  bool trust = false;                   ///< Load libraries named in the engine's plan.
  double time_limit_s = 60;
  std::string optimization = "all";        ///< off, basic, extended, all, file.
  std::string usual_optimization = "all";  ///< Default if the user names none.
  std::string precision = "f32";           ///< f32 or engine.
  bool no_spinning = false;
  std::string cpus;  ///< "0,2-3"; empty: all.
  /// "1x96x96x3", "NAME=1x96": resize inputs of the model; empty: the model's shapes.
  std::vector<std::string> input_shapes;
};

/// --recipe or --reference-recipe; an empty one is an error.
void add_recipe_flag(Parser& parser, const std::string& name, std::string& recipe,
                     const std::string& help);
/// --<prefix>state.
void add_states(Parser& parser, PipelineFlags& flags, const std::string& prefix);
/// --pipeline or --reference-pipeline.
void add_function(Parser& parser, PipelineFlags& flags, const std::string& prefix);
/// --python or --reference-python; also for the plug-in of `data`, if given.
void add_python(Parser& parser, PipelineFlags& flags, const std::string& prefix,
                DataFlags* data = nullptr);
/// A tokenizer under `name`: "--tokenizer" or "--reference-tokenizer".
void add_tokenizer(Parser& parser, PipelineFlags& flags, const std::string& name,
                   const std::string& usual = "");

/// True if the user chose an engine, by --engine or --plugin. In engine_flags.cc.
bool names_engine(const PipelineFlags& flags);

/// Makes a reference compute exactly as in the file, unless the user chose a level. In
/// engine_flags.cc.
void compute_as_written(PipelineFlags& flags);
/// In engine_flags.cc. `prefix` is "" or "reference-": --engine and --reference-engine use the same
/// fields of two structs.
void add_engine(Parser& parser, PipelineFlags& flags, const std::string& prefix,
                const std::string& group);
/// --target; for verbs that run a model as deployed.
void add_target(Parser& parser, PipelineFlags& flags, const std::string& group);
/// --cpus; not part of add_engine() because bench takes several.
void add_cpus(Parser& parser, PipelineFlags& flags, const std::string& prefix,
              const std::string& group);

/// "|| dequantize | softmax": a recipe with only the post-processing half; returns it without "||".
/// Empty for other text.
std::string half_behind(const std::string& text);
/// Reads `flags.function`, which is not empty.
Result<pipeline::FunctionSpec> function_from(const PipelineFlags& flags);
/// The values of --state.
Result<std::vector<pipeline::CarriedState>> states_from(const PipelineFlags& flags);
/// Sets engine, session and input shape of a spec with a known model. In engine_flags.cc.
Status engine_into(pipeline::PipelineSpec& spec, const PipelineFlags& flags);
/// Opens nothing; fails with kUsage that names the flag. `samples`: input of the pipeline.
Result<pipeline::PipelineSpec> spec_from(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples = {});
/// Options that differ from the defaults, as a text that identifies the configuration of a
/// measurement. In engine_flags.cc.
std::string options_text(const PipelineFlags& flags);

}  // namespace edgeprobe::cli
