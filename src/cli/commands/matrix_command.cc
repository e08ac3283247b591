// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/trust.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "matrix/matrix.h"
#include "report/text/tables.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe matrix MODEL`: runs one model file on several engines and shows which of
/// them agree.
struct MatrixArgs {
  /// Model, recipe, threads, time limit, and the target whose engine is compared with those of this
  /// machine; its own engine is not used.
  PipelineFlags pipeline;
  /// Such as "tflite:reference"; empty: all of this machine.
  std::vector<std::string> engines;
  std::string reference;  ///< The trusted one of them.
  DataFlags data;         ///< Pictures; without them, seeded random inputs.
  std::uint64_t seed = 1;
  bool outputs_only = false, all = false;
  JsonFlag json;
};

namespace {

constexpr std::size_t kUsualFrames = 3;

Result<std::vector<matrix::Column>> columns_here(const MatrixArgs& args, const std::string& format,
                                                 const engine::SessionOptions& base,
                                                 Terminal& terminal) {
  std::vector<std::string> missing;
  if (args.engines.empty()) {
    auto columns = matrix::default_columns(format, base, missing);
    for (const std::string& why : missing) terminal.err << "left out: " << why << "\n";
    if (columns.empty() && args.pipeline.target.empty())
      return Error{ErrorKind::kNotFound, "no engine of this machine loads a model of format " +
                                             format + " (edgeprobe doctor)"};
    return columns;
  }
  std::vector<matrix::Column> columns;
  for (const std::string& text : args.engines) {
    auto column = matrix::column_from_text(text, base);
    if (!column) return std::move(column.error()).during("--engines");
    EP_CHECK(check_plan_of(column->engine, args.pipeline.trust));
    column->engine.python = args.pipeline.interpreter;
    for (const matrix::Column& other : columns)
      if (other.name == column->name)
        return Error{ErrorKind::kUsage, "--engines: '" + sanitized(text) + "' is given twice"};
    columns.push_back(*std::move(column));
  }
  return columns;
}

/// Engines of this machine, then those of the target.
Result<std::vector<matrix::Column>> columns_for(const MatrixArgs& args, const GivenModel& given,
                                                Terminal& terminal) {
  auto columns = columns_here(args, given.graph.format, given.spec.session, terminal);
  if (!columns || args.pipeline.target.empty()) return columns;
  auto there =
      matrix::target_columns(given.spec.engine.address, given.graph.format, given.spec.session);
  if (!there) return std::move(there.error()).during("--target");
  for (matrix::Column& column : *there) columns->push_back(std::move(column));
  return columns;
}

/// The column named by --reference; added if missing.
Result<std::optional<std::size_t>> reference_among(const MatrixArgs& args,
                                                   std::vector<matrix::Column>& columns,
                                                   const engine::SessionOptions& base) {
  if (args.reference.empty()) return std::optional<std::size_t>();
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == args.reference) return std::optional(c);
  auto wanted = matrix::column_from_text(args.reference, base);
  if (!wanted) return std::move(wanted.error()).during("--reference-engine");
  EP_CHECK(check_plan_of(wanted->engine, args.pipeline.trust));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == wanted->name) return std::optional(c);
  columns.push_back(*std::move(wanted));
  return std::optional(columns.size() - 1);
}

Outcome outcome_of(const matrix::Matrix& matrix) {
  const auto agrees = [&](const matrix::Pair& pair) { return pair.agree; };
  if (matrix.pairs.empty()) return Outcome::kUndecided;
  return std::all_of(matrix.pairs.begin(), matrix.pairs.end(), agrees) ? Outcome::kDone
                                                                       : Outcome::kDiffers;
}

}  // namespace

Result<Outcome> run(const MatrixArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}},
                       joined(files_of(args.pipeline), files_of(args.data))));
  EP_TRY(const auto given,
         given_model(args.pipeline, args.data, args.seed, {0, kUsualFrames}, terminal));
  EP_TRY(auto columns, columns_for(args, given, terminal));
  EP_TRY(auto reference, reference_among(args, columns, given.spec.session));

  matrix::Options options;
  options.frames = given.frames;
  options.layers = !args.outputs_only;
  options.reference = reference;
  const auto inputs = [&](const std::vector<TensorSpec>& specs, std::size_t frame) {
    return frame_of(given, specs, frame);
  };
  Result<matrix::Matrix> found = Error{};
  {
    Progress progress(terminal, "matrix");
    options.control = {terminal.stop, progress.callback()};
    found = matrix::run(given.graph, given.file, given.label, columns, inputs, options);
  }
  if (!found) return std::move(found.error());
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, report::matrix_json(*found, given.label, given.inputs),
                          terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << report::matrix_text(*found, given.label, given.inputs, args.all);
  if (terminal.stopped())
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; the layers above are those that were done"};
  return outcome_of(*found);
}

Work declare_matrix(Parser& parser) {
  auto args = std::make_shared<MatrixArgs>();
  parser.option("model", args->pipeline.model, "A model file: .tflite or .onnx").required();
  parser
      .option("--engines", args->engines,
              "ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or ENGINE:LIBRARY, separated by commas "
              "(default: all on this machine)")
      .separated_by(',');
  add_python(parser, args->pipeline, "", &args->data);
  add_target(parser, args->pipeline, "");
  parser.option("--reference-engine", args->reference,
                "The trusted engine (default: the majority is determined)");
  parser.option("--data", args->data.data, "Pictures to run (default: seeded random inputs)");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--frames", args->data.frames,
                "Use this many evenly spread pictures, or random inputs (default: all, or 3)");
  parser.option("--seed", args->seed, "Seed of the random inputs").shows_default();
  parser.flag("--outputs", args->outputs_only, "Compare only the outputs");
  parser.flag("--all", args->all, "Show every layer");
  add_json(parser, args->json);
  const std::string group = "Engines";
  parser.option("--threads", args->pipeline.threads, "Threads of each engine")
      .shows_default("1")
      .group(group);
  parser
      .option("--precision", args->pipeline.precision,
              "f32: like the model; engine: the engine's choice")
      .shows_default()
      .group(group);
  add_trust(parser, args->pipeline.trust, "", group);
  parser
      .option("--input-shape", args->pipeline.input_shapes,
              "Resize the model's input, e.g. 1x96x96x3; for several inputs NAME=1x96 (repeatable)")
      .repeatable()
      .type("[NAME=]SHAPE")
      .group(group);
  parser
      .option("--time-limit", args->pipeline.time_limit_s,
              "Seconds for each load and each inference")
      .shows_default()
      .group(group);
  return work_of(args);
}

}  // namespace edgeprobe::cli
