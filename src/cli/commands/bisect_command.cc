// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <string>

#include "bisect/bisected.h"
#include "bisect/pushed_model.h"
#include "bisect/search.h"
#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/trust.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/index.h"
#include "core/result.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "evidence/reduce.h"
#include "matrix/matrix.h"
#include "meter/machine.h"
#include "report/text/tables.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe bisect MODEL --engine DEVICE`: finds operators computed wrongly by an
/// engine that does not expose its layers.
struct BisectArgs {
  PipelineFlags pipeline;  ///< Its engine is the device.
  /// Such as "litert:builtin"; empty: the trusted one for the model's format.
  std::string host;
  DataFlags data;  ///< Pictures; without them, seeded random inputs.
  std::uint64_t seed = 1;
  std::string evidence;  ///< A .zip file to write; empty: none.
  bool force = false;
  JsonFlag json;
};

namespace {

constexpr std::size_t kUsualFrames = 3;
constexpr std::size_t kMostLibrary = std::size_t{1} << 30;

/// An engine and its options.
struct Side {
  std::unique_ptr<engine::Engine> engine;
  engine::SessionOptions options;
};

/// Trusted kernels: LiteRT's built-in ones, or ONNX Runtime without optimisations.
Result<Side> host_side(const BisectArgs& args, const model::Graph& graph,
                       const engine::SessionOptions& device, const std::string& label) {
  engine::SessionOptions base;
  base.threads = device.threads;
  base.folder = device.folder;
  base.input_shapes = device.input_shapes;
  base.load_limit = device.load_limit;
  base.invoke_limit = device.invoke_limit;
  const std::string text = !args.host.empty()         ? args.host
                           : graph.format == "tflite" ? "litert:builtin"
                                                      : "onnxruntime:off";
  auto column = matrix::column_from_text(text, base);
  if (!column) return std::move(column.error()).during("--host");
  EP_CHECK(check_plan_of(column->engine, args.pipeline.trust));
  auto opened = engine::open_supervised(column->engine);
  if (!opened) return std::move(opened.error()).during("--host");
  if (auto fits =
          pipeline::check_engine((*opened)->identity(), column->session, graph.format, label);
      !fits)
    return std::move(fits.error()).during("--host");
  return Side{*std::move(opened), std::move(column->session)};
}

/// The evidence file of the n-th wrong operator: "x.zip", "x_2.zip".
std::filesystem::path evidence_file(const std::string& given, std::size_t n) {
  std::filesystem::path path = given;
  if (n == 0) return path;
  const std::string ending = path.extension().string();
  return path.replace_filename(path.stem().string() + "_" + std::to_string(n + 1) + ending);
}

Status check_evidence(const BisectArgs& args) {
  if (args.evidence.empty()) return {};
  if (auto good = check_writable(args.evidence); !good)
    return std::move(good.error()).during("--evidence");
  std::error_code unknown;
  if (!args.force && std::filesystem::exists(args.evidence, unknown))
    return Error{ErrorKind::kUsage, "--evidence: '" + sanitized(args.evidence) +
                                        "' already exists; --force replaces it"};
  return check_outputs({{"--evidence", args.evidence}, {"--json", args.json.file}},
                       joined(files_of(args.pipeline), files_of(args.data)));
}

/// The device's options without folders of this machine.
std::string portable_options(engine::SessionOptions options) {
  options.folder.clear();
  for (engine::Delegate& delegate : options.delegates)
    delegate.library = delegate.library.filename();
  return engine::to_json(options);
}

std::vector<evidence::DelegateFile> files_of_delegates(const engine::SessionOptions& options) {
  std::vector<evidence::DelegateFile> files;
  for (const engine::Delegate& delegate : options.delegates) {
    if (delegate.library.empty()) {
      files.push_back({engine::name_of(delegate), ""});
      continue;
    }
    const auto bytes = read_file(delegate.library, kMostLibrary);
    files.push_back({delegate.library.filename().string(), bytes ? sha256(*bytes) : ""});
  }
  return files;
}

/// Fields common to all evidence of a bisection.
evidence::Evidence about(const bisect::Bisected& bisected, const model::Graph& graph) {
  evidence::Evidence common;
  common.format = graph.format;
  common.source = bisected.model;
  common.source_sha256 = bisected.sha256;
  evidence::Environment& seen = common.environment;
  seen.device = bisected.device;
  seen.host = bisected.host;
  seen.device.library = seen.device.library.filename();
  seen.host.library = seen.host.library.filename();
  seen.device_options = bisected.device_options;
  seen.delegates = bisected.delegates;
  const meter::Machine machine = meter::machine({});
  seen.processor = machine.processor;
  seen.architecture = machine.architecture;
  seen.kernel = machine.kernel;
  seen.program = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  common.left_out = {
      "all other operators of the model, and their constants: they are not needed to see the fault",
      "the recorded inputs of the whole model: the part is fed with the tensors that reach it",
      "the engine's library: its version and hash are stated",
      "names of machines and users, and paths: none is added; texts in the cut model file (names "
      "of "
      "tensors, metadata) are the model's own"};
  return common;
}

/// Writes one file per wrong operator; reports those that cannot be written.
void write_evidence(const BisectArgs& args, const bisect::PushedModel& box,
                    const layers::ModelFile& model, const evidence::Sides& sides,
                    bisect::Bisected& bisected, const Control& control) {
  for (std::size_t w = 0; w < bisected.found.wrong.size() && !control.stopped(); ++w) {
    const bisect::Wrong& wrong = bisected.found.wrong[w];
    bisect::Written& written = bisected.written.emplace_back();
    written.wrong = w;
    if (wrong.certainty == bisect::Certainty::kInside) {
      written.incomplete = "it is seen only inside the whole model";
      continue;
    }
    const model::Part part = box.part(wrong.first, wrong.last + 1);
    evidence::Evidence one = about(bisected, *model.graph);
    one.operators = bisected.units[at(wrong.first)].text;
    if (wrong.first != wrong.last) one.operators += " to " + bisected.units[at(wrong.last)].text;
    one.refused = wrong.refused;
    Result<evidence::Reduced> reduced = Error{};
    for (std::size_t f = 0; f < box.frames() && !reduced; ++f) {
      std::vector<Tensor> inputs;
      for (const int input : part.inputs) inputs.push_back(box.host_frames().at(input)[f]);
      reduced = evidence::reduce(sides, model, part, inputs, one, {}, control);
    }
    if (!reduced) {
      written.incomplete = reduced.error().what;
      continue;
    }
    const std::filesystem::path path = evidence_file(args.evidence, w);
    if (auto done = write_file(path, reduced->file); !done) {
      written.incomplete = done.error().what;
      continue;
    }
    written.file = path.string();
    written.bytes = reduced->file.size();
    written.runs = reduced->runs;
    if (written.bytes > evidence::ReduceOptions{}.wanted_bytes)
      written.incomplete = "it could not be made smaller with the fault still there";
  }
}

/// Input specs, from the host engine: the device may refuse the whole model.
Result<std::vector<TensorSpec>> input_specs(Side& host, ByteView file, const std::string& label) {
  EP_TRY(auto session, host.engine->load(file, label, host.options));
  return session->inputs();
}

void name_units(const model::Graph& graph, const bisect::PushedModel& box,
                bisect::Bisected& bisected) {
  for (int u = 0; u < box.units(); ++u) {
    const bisect::Unit& unit = box.unit(u);
    const model::Layer& layer = graph.layers[at(unit.layer)];
    const int output = layer.outputs.empty() ? -1 : layer.outputs.front();
    bisected.units.push_back({box.name(u), unit.first, unit.last, unit.layer, unit.joined,
                              layer.type, output < 0 ? "" : graph.tensors[at(output)].spec.name});
  }
  for (const model::NotCaptured& one : box.not_captured()) {
    const model::Layer* const layer = model::layer_of(graph, one.tensor);
    bisected.not_shown.push_back({layer ? layer->index : -1, layer ? layer->type : "",
                                  graph.tensors[at(one.tensor)].spec.name, one.reason});
  }
}

Outcome outcome_of(const bisect::Found& found) {
  switch (found.outcome) {
    case bisect::Outcome::kEqual: return Outcome::kDone;
    case bisect::Outcome::kFound: return Outcome::kDiffers;
    case bisect::Outcome::kDrifts:
    case bisect::Outcome::kOpen: break;
  }
  return Outcome::kUndecided;
}

}  // namespace

/// kDone if the outputs equal the host's, kDiffers with wrong operators, kUndecided if no single
/// one is wrong.
Result<Outcome> run(const BisectArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}},
                       joined(files_of(args.pipeline), files_of(args.data))));
  EP_CHECK(check_evidence(args));
  EP_TRY(auto given,
         given_model(args.pipeline, args.data, args.seed, {kUsualFrames, kUsualFrames}, terminal));
  const model::Graph& graph = given.graph;
  const std::string& label = given.label;
  EP_TRY(auto opened, engine::open_supervised(given.spec.engine));
  EP_CHECK(pipeline::check_engine(opened->identity(), given.spec.session, graph.format, label));
  Side device{std::move(opened), given.spec.session};
  EP_TRY(auto host, host_side(args, graph, given.spec.session, label));
  EP_TRY(auto specs, input_specs(host, given.file, label));

  bisect::Bisected bisected;
  bisected.model = label;
  bisected.sha256 = graph.sha256;
  bisected.device = device.engine->identity();
  bisected.host = host.engine->identity();
  bisected.delegates = files_of_delegates(device.options);
  bisected.device_options = portable_options(device.options);
  bisected.inputs = given.inputs;
  EP_TRY(auto frames, frames_of(given, specs, terminal));
  bisected.frames = frames.size();

  const layers::ModelFile model{&graph, given.file};
  const layers::Host device_host{device.engine.get(), device.options};
  const layers::Host trusted{host.engine.get(), host.options};
  {
    Progress progress(terminal, "bisect");
    const Control control{terminal.stop, progress.callback()};
    auto box =
        bisect::PushedModel::open(device_host, trusted, model, label, std::move(frames), control);
    if (!box) return std::move(box.error()).during(sanitized(label, 100));
    name_units(graph, *box, bisected);
    auto found = bisect::search(*box, {}, control);
    if (!found) return std::move(found.error()).during(sanitized(label, 100));
    bisected.found = *std::move(found);
    if (!args.evidence.empty())
      write_evidence(args, *box, model, {device_host, trusted}, bisected, control);
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, report::bisect_json(bisected), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << report::bisect_text(bisected);
  if (bisected.found.stopped)
    return Error{ErrorKind::kInterrupted,
                 bisected.found.wrong.empty()
                     ? "stopped by the user before a wrong operator was found"
                     : "stopped by the user; the operators above are those that were found"};
  return outcome_of(bisected.found);
}

Work declare_bisect(Parser& parser) {
  auto args = std::make_shared<BisectArgs>();
  parser.option("model", args->pipeline.model, "A model file: .tflite or .onnx").required();
  parser.option("--host", args->host,
                "The trusted engine: ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or ENGINE:LIBRARY "
                "(default: litert:builtin, onnxruntime:off)");
  add_data(parser, args->data, false, "3, evenly spread");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--seed", args->seed, "Seed of the random inputs used without --data")
      .shows_default();
  parser.option("--evidence", args->evidence,
                "Write each fault as a small file that can be replayed: FILE.zip, FILE_2.zip, …");
  parser.flag("--force", args->force, "Overwrite an older file of evidence");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Device");
  return work_of(args);
}

}  // namespace edgeprobe::cli
