// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/index.h"
#include "core/result.h"
#include "core/text.h"
#include "precision/predict.h"
#include "report/text/tables.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe predict-precision MODEL`: predicts the effect of float16 or bfloat16.
struct PredictArgs {
  PipelineFlags pipeline;
  DataFlags data;                       ///< Pictures; without them, seeded random inputs.
  std::vector<std::string> precisions;  ///< Names of precision::Scheme; empty: all.
  std::uint64_t seed = 1;
  JsonFlag json;
};

namespace {

constexpr std::size_t kUsualFrames = 8, kUsualRandomFrames = 3;
constexpr precision::Scheme kUsual[] = {
    precision::Scheme::kFloat16, precision::Scheme::kFloat16Sums, precision::Scheme::kBFloat16};
constexpr precision::Scheme kSchemes[] = {
    precision::Scheme::kFloat16,       precision::Scheme::kFloat16Sums,
    precision::Scheme::kFloat16Blocks, precision::Scheme::kFloat16Flushed,
    precision::Scheme::kBFloat16,      precision::Scheme::kBFloat16Products,
    precision::Scheme::kTf32,          precision::Scheme::kInt8};

// int8 calibrated with random values means nothing, so it must be requested explicitly.
Result<std::vector<precision::Scheme>> schemes_from(const std::vector<std::string>& names,
                                                    bool has_data) {
  std::vector<precision::Scheme> schemes;
  if (names.empty()) {
    schemes.assign(std::begin(kUsual), std::end(kUsual));
    if (has_data) schemes.push_back(precision::Scheme::kInt8);
    return schemes;
  }
  for (const std::string& text : names) {
    const auto* found = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                     [&](precision::Scheme s) { return text == name(s); });
    if (found == std::end(kSchemes)) {
      std::string known;
      for (const precision::Scheme one : kSchemes)
        known += std::string(known.empty() ? "" : ", ") + name(one);
      return Error{ErrorKind::kUsage, "--precisions: '" + sanitized(text, 40) +
                                          "' is unknown; expected one of " + known};
    }
    if (std::find(schemes.begin(), schemes.end(), *found) == schemes.end())
      schemes.push_back(*found);
  }
  return schemes;
}

/// The frames of the model, each with its annotations.
Result<std::vector<precision::Frame>> annotated_frames(const GivenModel& given,
                                                       const std::vector<TensorSpec>& specs,
                                                       Terminal& terminal) {
  EP_TRY(auto inputs, frames_of(given, specs, terminal));
  std::vector<precision::Frame> frames;
  for (std::size_t f = 0; f < inputs.size(); ++f)
    frames.push_back(
        {std::move(inputs[f]), given.samples.empty() ? std::nullopt : given.samples[f].annotation});
  return frames;
}

}  // namespace

Result<Outcome> run(const PredictArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}},
                       joined(files_of(args.pipeline), files_of(args.data))));
  EP_TRY(const auto schemes, schemes_from(args.precisions, !args.data.data.empty()));
  EP_TRY(const auto given, given_model(args.pipeline, args.data, args.seed,
                                       {kUsualFrames, kUsualRandomFrames}, terminal));
  const model::Graph& graph = given.graph;
  EP_TRY(auto engine, engine::open_supervised(given.spec.engine));
  EP_CHECK(
      pipeline::check_engine(engine->identity(), given.spec.session, graph.format, given.label));
  EP_TRY(auto session, engine->load(given.file, given.label, given.spec.session));
  EP_TRY(auto frames, annotated_frames(given, session->inputs(), terminal));
  session.reset();

  const layers::Host host{engine.get(), given.spec.session};
  const layers::ModelFile model{&graph, given.file};
  Result<precision::Predicted> predicted = Error{};
  {
    Progress progress(terminal, "predict-precision");
    predicted =
        precision::predict(host, model, frames, schemes, {terminal.stop, progress.callback()});
  }
  if (predicted && args.data.data.empty() &&
      std::find(schemes.begin(), schemes.end(), precision::Scheme::kInt8) != schemes.end())
    predicted->warnings.push_back(
        "int8 is calibrated with random values: only --data says what your pictures do");
  if (!predicted) {
    const bool open = std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](int input) {
      const Shape& shape = graph.tensors[at(input)].spec.shape;
      return std::any_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim < 0; });
    });
    if (open && predicted.error().kind != ErrorKind::kInterrupted)
      predicted.error().what +=
          "; the model leaves dimensions of its input open: say them with --input-shape, or give "
          "pictures (--data, --recipe)";
    return std::move(predicted.error()).during(sanitized(given.label, 100));
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, report::precision_json(*predicted, given.label, given.inputs),
                          terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << report::precision_text(*predicted, given.label, given.inputs);
  if (predicted->stopped)
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; the precisions above are those that were done"};
  const bool breaks =
      std::any_of(predicted->predictions.begin(), predicted->predictions.end(),
                  [](const auto& one) { return one.outcome.level() == precision::Level::kBreaks; });
  return breaks ? Outcome::kDiffers : Outcome::kDone;
}

Work declare_predict_precision(Parser& parser) {
  auto args = std::make_shared<PredictArgs>();
  parser.option("model", args->pipeline.model, "A float32 model file").required();
  add_data(parser, args->data, false, "8, evenly spread");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--seed", args->seed, "Seed of the random inputs used without --data")
      .shows_default();
  parser
      .option("--precisions", args->precisions,
              "Some of float16, float16-sums, float16-blocks, float16-flushed, bfloat16, "
              "bfloat16-products, tf32, int8, separated by commas (default: float16, float16-sums, "
              "bfloat16; with --data int8 too)")
      .separated_by(',');
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
