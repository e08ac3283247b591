// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_evaluation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "check/cut_off.h"
#include "cli/options/open.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/options.h"
#include "pipeline/carry.h"
#include "preprocess/recipe/recipe.h"
#include "stretch/plan.h"

namespace edgeprobe::cli {
namespace {

/// Height and width of a picture in either layout.
std::string resolution_of(const TensorSpec& input) {
  const Shape& shape = input.shape;
  if (shape.size() != 4) return "";
  const auto is_color = [](std::int64_t side) { return side == 1 || side == 3 || side == 4; };
  const std::size_t first = is_color(shape[3]) ? 1 : is_color(shape[1]) ? 2 : 0;
  return first == 0 ? "" : std::to_string(shape[first]) + "x" + std::to_string(shape[first + 1]);
}

std::vector<std::string> weight_types(const model::Graph& graph) {
  std::set<std::string> types;
  for (const model::Layer& layer : graph.layers)
    for (const int index : layer.weights) {
      const auto& tensor =
          graph.tensors[static_cast<std::size_t>(model::stored_form(graph, index))];
      types.insert(tensor.spec.dtype == DType::kOther ? sanitized(tensor.stored_type, 40)
                                                      : name(tensor.spec.dtype));
    }
  return {types.begin(), types.end()};
}

Result<std::vector<RanOn>> processors_of_plan(const std::filesystem::path& file) {
  EP_TRY(const auto plan, stretch::read_plan_file(file));
  std::vector<RanOn> list;
  for (const stretch::Program& program : plan.programs)
    for (const stretch::Processor& one : plan.processors) {
      if (one.name != program.processor) continue;
      const auto pieces = static_cast<std::size_t>(std::count_if(
          program.steps.begin(), program.steps.end(),
          [](const stretch::Step& step) { return step.kind == stretch::Step::Kind::kRun; }));
      RanOn ran{one.name, one.engine, one.threads, one.cpus, {}, one.emulated_slowdown, pieces};
      if (!one.delegate.empty()) ran.delegates.push_back(one.delegate);
      if (pieces > 0) list.push_back(std::move(ran));
    }
  return list;
}

RanOn whole_model(const pipeline::Pipeline& pipeline) {
  const engine::SessionOptions& options = pipeline.spec.session;
  RanOn ran{pipeline.spec.engine.address.empty() ? "" : pipeline.spec.engine.address,
            pipeline.engine->identity().kind,
            options.threads,
            options.cpus,
            {},
            1,
            1};
  for (const engine::Delegate& one : options.delegates)
    ran.delegates.push_back(std::filesystem::path(engine::name_of(one)).filename().string());
  return ran;
}

}  // namespace

Result<Evaluation> evaluated(const PipelineFlags& flags, const placement::Subject& subject,
                             std::vector<dataset::Sample> samples, const DataFlags& data,
                             Terminal& terminal, const Control& control) {
  EP_TRY(auto pipeline, open_pipeline(flags, samples, terminal));
  const std::vector<TensorSpec>& outputs = pipeline.session->outputs();
  const auto about = [&](const char* word, const std::string& text) {
    if (!text.empty())
      terminal.err << word << ": " << sanitized(subject.cfg, 200) << ": " << text << "\n";
  };
  about("note", dataset::fit_background(samples, outputs));
  EP_CHECK(dataset::check_classes(samples, outputs));
  about("warning", folders_in_doubt(data, samples, outputs));
  about("warning", check::cut_off_doubt(pipeline.recipe, pipeline.input()));
  for (const std::string& warning : pipeline.session->warnings())
    about("warning", sanitized(warning, 400));
  Evaluation done;
  done.cfg = subject.cfg;
  done.model_sha256 = pipeline.graph.sha256;
  done.engine_version = sanitized(pipeline.engine->identity().version, 400);
  done.precision = engine::name(pipeline.spec.session.precision);
  done.weight_types = weight_types(pipeline.graph);
  done.input = pipeline.input();
  done.resolution = resolution_of(done.input);
  if (pipeline.has_recipe()) done.recipe = preprocess::to_text(pipeline.recipe);
  if (subject.plan.empty()) {
    done.processors.push_back(whole_model(pipeline));
  } else {
    EP_TRY(const auto text, read_file(subject.plan));
    done.plan_sha256 = sha256(text);
    EP_TRY(done.processors, processors_of_plan(subject.plan));
  }
  EP_TRY(done.answers, placement::answers(pipeline, samples, control));
  return done;
}

std::size_t pieces_of(const Evaluation& evaluation) {
  std::size_t pieces = 0;
  for (const RanOn& one : evaluation.processors) pieces += one.pieces;
  return pieces;
}

std::string processors_text(const Evaluation& evaluation) {
  return edgeprobe::joined(evaluation.processors, ", ", [](const RanOn& one) {
    std::string text = one.name.empty()
                           ? sanitized(one.engine, 80)
                           : sanitized(one.name, 80) + ": " + sanitized(one.engine, 80);
    for (const std::string& delegate : one.delegates) text += " + " + sanitized(delegate, 80);
    if (!one.cpus.empty())
      text += " on CPU " +
              edgeprobe::joined(one.cpus, ",", [](int cpu) { return std::to_string(cpu); });
    if (one.emulated_slowdown > 1) text += ", slowed " + number(one.emulated_slowdown) + " times";
    return text;
  });
}

std::vector<std::string> differences(const Evaluation& a, const Evaluation& b) {
  const auto engines = [](const Evaluation& one) {
    std::set<std::string> names;
    for (const RanOn& ran : one.processors)
      names.insert(ran.engine + "," + edgeprobe::joined(ran.delegates));
    return names;
  };
  std::vector<std::string> list;
  const std::pair<const char*, bool> parts[] = {
      {"model", a.model_sha256 != b.model_sha256},
      {"plan", a.plan_sha256 != b.plan_sha256},
      {"resolution", a.resolution != b.resolution},
      {"recipe", a.recipe != b.recipe},
      {"input type", a.input.dtype != b.input.dtype},
      {"weight types", a.weight_types != b.weight_types},
      {"engines", engines(a) != engines(b)},
      {"classes", a.answers.classes != b.answers.classes}};
  for (const auto& [what, differs] : parts)
    if (differs) list.emplace_back(what);
  return list;
}

}  // namespace edgeprobe::cli
