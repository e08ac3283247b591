// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/load.h"
#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/pattern.h"
#include "core/result.h"
#include "core/text.h"
#include "pipeline/capture.h"
#include "pipeline/instrument.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe instrument MODEL -o OUT`: makes a copy of a model with its layers as
/// outputs, for an app that records them with the probe, and proves that its own outputs are
/// unchanged.
struct InstrumentArgs {
  PipelineFlags pipeline;
  std::string level = "layers";      ///< "embedding" or "layers".
  std::vector<std::string> include;  ///< Names of tensors, with * and ?; empty: all.
  DataFlags data;                    ///< Inputs for the proof; none: random ones.
  int inputs = 16;                   ///< Number of random inputs.
  std::string out;
  bool force = false;
  JsonFlag json;
};

namespace {

Error stopped_proof() {
  return {ErrorKind::kInterrupted, "stopped by the user; nothing was written"};
}

struct ProofInputs {
  std::vector<std::vector<Tensor>> tensors;
  std::string what;  ///< Such as "12 samples", "16 random inputs".
};

Result<ProofInputs> random_inputs(int count, const engine::Session& session,
                                  const std::vector<model::Feed>& feeds) {
  ProofInputs inputs;
  for (int seed = 1; seed <= count; ++seed) {
    EP_TRY(auto made,
           bench::random_inputs(session.inputs(), static_cast<std::uint64_t>(seed), feeds));
    inputs.tensors.push_back(std::move(made));
  }
  inputs.what = std::to_string(inputs.tensors.size()) + " random inputs";
  return inputs;
}

std::string copy_json(const InstrumentArgs& args, const pipeline::Instrumented& copy,
                      const pipeline::Perturbation& found, const std::string& inputs) {
  nlohmann::ordered_json json;
  json["model"] = args.out;
  json["sha256"] = sha256(copy.file);
  json["own_outputs"] = copy.own_outputs;
  json["layers"] = copy.layers;
  json["layer_bytes_a_frame"] = found.layer_bytes;
  json["proof"] = {{"inputs", found.inputs},
                   {"what", inputs},
                   {"moved", found.moved},
                   {"farthest_relative_l2", found.farthest},
                   {"plain_median_ms", found.plain_ms},
                   {"instrumented_median_ms", found.instrumented_ms}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string copy_text(const InstrumentArgs& args, const pipeline::Instrumented& copy,
                      const pipeline::Perturbation& found, const std::string& inputs) {
  std::string text = sanitized(args.out, 400) + ": " + std::to_string(copy.layers.size()) +
                     " layers after " + std::to_string(copy.own_outputs) +
                     (copy.own_outputs == 1 ? " output" : " outputs") +
                     " of its own; a frame of layers takes " +
                     bytes_text(static_cast<double>(found.layer_bytes)) + "\n";
  if (found.moved == 0)
    text += "proof: its own outputs are equal bit for bit to those of the model as it was, on " +
            inputs + "\n";
  else
    text += "proof: its own outputs moved on " + std::to_string(found.moved) + " of " + inputs +
            ", by at most " + number(found.farthest, 2) + " (relative L2)" +
            (found.farthest > pipeline::kRounding
                 ? ": layers recorded this way are not those of the deployed model\n"
                 : ": rounding, the engine fuses less when layers are outputs\n");
  text += "an inference took " + number(found.instrumented_ms, 3) + " ms, " +
          number(found.plain_ms, 3) + " ms as it was\n";
  return text +
         "in the app: load this file, and open the probe with level layers and own_outputs = " +
         std::to_string(copy.own_outputs) + "\n";
}

/// Makes the copy, verifies it, and writes it.
Result<Outcome> make(const pipeline::OpenModel& model, const ProofInputs& inputs,
                     pipeline::Level level, const std::function<bool(const std::string&)>& wanted,
                     const InstrumentArgs& args, Terminal& terminal) {
  EP_TRY(const auto copy, pipeline::instrument(model, level, wanted));
  Result<pipeline::Perturbation> found = Error{};
  {
    Progress progress(terminal, "proof");
    found =
        pipeline::perturbation(model, copy, inputs.tensors, {terminal.stop, progress.callback()});
  }
  if (!found)
    return found.error().kind == ErrorKind::kInterrupted ? stopped_proof()
                                                         : std::move(found).error();
  EP_CHECK(write_file(args.out, copy.file));
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, copy_json(args, copy, *found, inputs.what), terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << copy_text(args, copy, *found, inputs.what);
  return found->farthest > pipeline::kRounding ? Outcome::kDiffers : Outcome::kDone;
}

}  // namespace

/// kDiffers if one of the model's own outputs changed by more than rounding.
Result<Outcome> run(const InstrumentArgs& args, Terminal& terminal) {
  if (args.level != "embedding" && args.level != "layers")
    return Error{ErrorKind::kUsage,
                 "--level '" + sanitized(args.level) + "': expected embedding or layers"};
  if (args.data.data.empty() && !args.pipeline.recipe.empty())
    return Error{ErrorKind::kUsage, "--recipe prepares the pictures of --data, which is not given"};
  EP_CHECK(check_outputs({{"-o", args.out}, {"--json", args.json.file}},
                         joined(files_of(args.pipeline), files_of(args.data))));
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  std::error_code failure;
  if (!args.force && std::filesystem::exists(std::filesystem::symlink_status(args.out, failure)))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.out) + "' exists; give another -o, or --force to replace it"};

  std::function<bool(const std::string&)> wanted;
  if (!args.include.empty())
    wanted = [&](const std::string& name) {
      return std::any_of(args.include.begin(), args.include.end(),
                         [&](const std::string& pattern) { return matches(pattern, name); });
    };
  EP_TRY(auto spec, spec_from(args.pipeline));
  const auto level = *pipeline::level_from_name(args.level);
  const std::string label = spec.model.filename().string();
  if (!args.data.data.empty()) {
    EP_TRY(const auto recorded, samples_from(args.data, terminal));
    if (!recorded.empty()) spec.arrays = recorded.front().arrays;
    EP_TRY(auto pipeline, pipeline::open(spec, terminal.control()));
    if (pipeline.default_recipe)
      terminal.err << "no recipe given; using: " << preprocess::to_text(pipeline.recipe) << "\n";
    auto samples = model_inputs(recorded, pipeline, terminal);
    if (!samples)
      return samples.error().kind == ErrorKind::kInterrupted ? stopped_proof()
                                                             : std::move(samples).error();
    const std::string what = std::to_string(samples->size()) + " samples";
    const ProofInputs inputs{std::move(*samples), what};
    return make({pipeline.graph, pipeline.file, label, *pipeline.engine, *pipeline.session,
                 pipeline.spec.session},
                inputs, level, wanted, args, terminal);
  }
  // Random inputs need no recipe: the model may take sound or text.
  EP_TRY(const auto model, bench::open_model(spec.model, spec.engine, spec.session));
  if (!model.graph)
    return Error{ErrorKind::kUnsupported, "'" + sanitized(label) + "': " + model.no_graph};
  EP_TRY(auto loaded, bench::load(model, model.session));
  EP_TRY(const auto inputs, random_inputs(args.inputs, *loaded.session, model.feeds));
  return make({*model.graph, model.file, label, *loaded.engine, *loaded.session, model.session},
              inputs, level, wanted, args, terminal);
}

Work declare_instrument(Parser& parser) {
  auto args = std::make_shared<InstrumentArgs>();
  parser.option("model", args->pipeline.model, "The model file: .tflite or .onnx").required();
  parser.option("-o,--out", args->out, "The file to write, in the format of the model").required();
  parser.option("--level", args->level, "Which layers: embedding | layers").shows_default();
  parser.option("--include", args->include,
                "Only tensors whose names match; * matches any text and ? any byte");
  parser
      .option("--inputs", args->inputs,
              "Without --data: how many random inputs test that the outputs stay the same")
      .shows_default()
      .range(1, 10'000);
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "The pre-processing of --data: text or a file");
  add_data(parser, args->data, false);
  parser.flag("--force", args->force, "Replace an existing file");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine that tests the copy");
  return work_of(args);
}

}  // namespace edgeprobe::cli
