// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_flags.h"

#include <filesystem>

#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/trust.h"
#include "cli/options/values.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "placement/search/device.h"
#include "placement/search/search.h"

namespace edgeprobe::cli {

void add_processors(Parser& parser, ProcessorFlags& flags) {
  parser
      .option("--device", flags.device,
              "The processors, a file in YAML or JSON (docs/reference/device.md)")
      .type("FILE.yaml")
      .group("Processors");
  parser
      .option("--engine", flags.engines,
              "The engine of each CPU; repeatable, the fastest is used (default: by the model's "
              "format)")
      .type("KIND[:LIBRARY]")
      .take_all()
      .group("Processors");
  parser
      .option("--cpus", flags.cpus,
              "CPUs, each a processor, e.g. 0,1 (default: all that this process may use, at "
              "most 8)")
      .type("LIST")
      .group("Processors");
  add_trust(parser, flags.trust, "", "Processors");
}

void add_inputs(Parser& parser, InputFlags& flags) {
  parser
      .option("--input-shape", flags.shapes,
              "Sizes of the model's input, e.g. 1x96x96x3; for several inputs NAME=1x96 "
              "(repeatable)")
      .repeatable()
      .type("[NAME=]SHAPE")
      .group("Inputs");
  add_recipe_flag(parser, "--recipe", flags.recipe, "Pre-processing for --data: text or a file");
  add_data(parser, flags.data, false, "20");
}

Result<GivenModel> given_inputs(const InputFlags& flags, const std::string& model,
                                Terminal& terminal) {
  constexpr UsualFrames kInputs{20, 20};
  PipelineFlags pipeline;
  pipeline.model = model;
  pipeline.recipe = flags.recipe;
  pipeline.input_shapes = flags.shapes;
  return given_model(pipeline, flags.data, 1, kInputs, terminal);
}

placement::GivenInputs inputs_of(const GivenModel& given, Terminal& terminal) {
  placement::GivenInputs inputs;
  inputs.shapes = given.spec.session.input_shapes;
  if (!given.samples.empty())
    inputs.real = [&](const std::vector<TensorSpec>& specs) {
      return frames_of(given, specs, terminal);
    };
  return inputs;
}

void add_time_limit(Parser& parser, double& seconds) {
  parser.option("--time-limit", seconds, "Seconds for each load and each inference")
      .shows_default();
}

void add_plan_and_model(Parser& parser, std::string& plan, std::string& model) {
  parser.option("plan", plan, "A plan from 'stretch plan' or 'stretch search'").required();
  parser.option("model", model, "A model with the plan's structure").required();
}

Result<std::vector<stretch::Processor>> processors_from(const ProcessorFlags& flags,
                                                        const model::Graph& graph) {
  if (!flags.device.empty()) {
    if (!flags.engines.empty() || !flags.cpus.empty())
      return Error{ErrorKind::kUsage,
                   "--device names engines and CPUs; leave " +
                       std::string(flags.engines.empty() ? "--cpus" : "--engine") + " out"};
    EP_TRY(const auto text, read_file(flags.device));
    auto processors = placement::device_from_text(ByteView(text).text());
    if (processors)
      if (auto fit = placement::check_engines(*processors, graph.format); !fit)
        processors = std::move(fit).error();
    if (!processors)
      return std::move(processors.error()).during("'" + sanitized(flags.device, 300) + "'");
    EP_CHECK(check_libraries(*processors, flags.trust, flags.device));
    return processors;
  }
  std::vector<std::string> engines = flags.engines;
  if (engines.empty()) engines.emplace_back(engine::default_engine("model." + graph.format).name);
  std::vector<int> cpus;
  if (!flags.cpus.empty()) {
    auto read = cpus_from_text(flags.cpus);
    if (!read) return std::move(read.error()).during("--cpus");
    cpus = *std::move(read);
  }
  auto processors = placement::processors_here(engines, std::move(cpus));
  EP_CHECK(placement::check_engines(processors, graph.format));
  return processors;
}

Status check_output(const std::string& output, bool force) {
  if (!output.empty())
    if (auto good = check_writable(output); !good)
      return std::move(good.error()).during("--output");
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  // Checked now, not after minutes of measuring.
  if (!folder.empty() && !std::filesystem::is_directory(folder, failure))
    return Error{ErrorKind::kUsage, "--output '" + sanitized(output, 400) +
                                        "': there is no such folder; make it first"};
  if (force) EP_CHECK(check_forced({"--output", output}));
  if (output.empty() || force ||
      !std::filesystem::exists(std::filesystem::symlink_status(output, failure)))
    return {};
  return Error{ErrorKind::kUsage, "'" + sanitized(output, 400) +
                                      "' exists; give another --output, or --force to replace it"};
}

}  // namespace edgeprobe::cli
