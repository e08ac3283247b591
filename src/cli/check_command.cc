#include "cli/check_command.h"

#include <filesystem>

#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/reference_side.h"
#include "cli/run_command.h"
#include "cli/temporary.h"
#include "compare/recording.h"
#include "core/file.h"
#include "core/text.h"
#include "diagnose/diagnose.h"
#include "pipeline/raw_inputs.h"
#include "report/fixes.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

Status check_flags(const VerdictFlags& flags, const std::vector<std::string>& inputs) {
  if (!diagnose::gate_from_name(flags.gate))
    return Error{Fault::kUsage, "--gate '" + printable(flags.gate) + "': expected outputs or accuracy"};
  if (flags.images != "full" && flags.images != "none")
    return Error{Fault::kUsage, "--images '" + printable(flags.images) + "': expected full or none"};
  if (flags.max_replay == 0) return Error{Fault::kUsage, "--max-replay 0: expected at least 1"};
  return check_texts({{"--json", flags.json.file}, {"--html", flags.html}}, inputs);
}

Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Terminal& terminal) {
  verdict.provenance["tool"] = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  // What is not confirmed has no fix.
  for (diagnose::Cause& cause : verdict.causes)
    if (cause.stage == diagnose::CauseStage::kPreprocessing && (cause.status == diagnose::CauseStatus::kConfirmed || cause.status == diagnose::CauseStatus::kNote))
      cause.fix_code = report::fix_code(cause.kind, cause.fix_step);
  const report::Images images = flags.images == "none" ? report::Images::kNone : report::Images::kFull;
  if (!flags.html.empty()) {
    if (auto done = write_file(flags.html, view_of(report::render_html(verdict, {images}))); !done) return std::move(done.error());
  }
  const bool json_only = flags.json.wanted && flags.json.file.empty();
  if (flags.json.wanted)
    if (auto done = deliver(flags.json, report::render_json(verdict, {images}), terminal.out); !done) return std::move(done.error());
  if (!json_only) terminal.out << report::render_text(verdict, {terminal.color, 100});
  if (!flags.html.empty()) terminal.err << "report: " << printable(flags.html, 400) << "\n";
  switch (verdict.outcome) {
    case diagnose::Outcome::kAgrees: return Outcome::kDone;
    case diagnose::Outcome::kDiffers: return Outcome::kDiffers;
    case diagnose::Outcome::kUndecided: return Outcome::kUndecided;
  }
  return Outcome::kUndecided;
}

void add_reference(const ReferenceSide& reference, diagnose::Verdict& verdict) {
  verdict.provenance.insert(reference.provenance.begin(), reference.provenance.end());
  verdict.warnings.insert(verdict.warnings.end(), reference.warnings.begin(), reference.warnings.end());
}

// What is missing in either recording by its own account.
void add_shortfalls(const trace::Reader& target, const trace::Reader& reference, diagnose::Verdict& verdict) {
  for (const std::string& said : compare::shortfalls(target)) verdict.warnings.push_back("target trace: " + said);
  for (const std::string& said : compare::shortfalls(reference)) verdict.warnings.push_back("reference trace: " + said);
}

// A recipe that nobody gave is a guess; its range is none when an integer input states it.
void add_guess(const ReferenceSide& reference, const TensorSpec* target, diagnose::Case& known) {
  if (!reference.pipeline || !reference.pipeline->default_recipe) return;
  known.guessed_recipe = true;
  known.stated_range = preprocess::stated_range(reference.pipeline->input()) || (target && preprocess::stated_range(*target));
}

std::string declared(const trace::Reader& reader, const std::string& fact) {
  const auto run = reader.metadata().find("edgeprobe.run");
  if (run == reader.metadata().end()) return "";
  const auto found = run->second.find(fact);
  return found == run->second.end() ? "" : found->second;
}

const trace::ReadChannel* first_input(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput) return &channel;
  return nullptr;
}

// "" when the trace does not say which model recorded it, or says this one.
std::string not_the_recorder(const trace::Reader& target, const pipeline::Pipeline& model) {
  const trace::ReadChannel* const input = first_input(target);
  if (input && element_count(input->channel.spec.shape) != element_count(model.input().shape))
    return "--model is not what recorded this trace (its input is " + to_text(model.input().shape) + ", the trace holds " +
           to_text(input->channel.spec.shape) + ")";
  const std::string recorder = declared(target, "model_sha256");
  if (recorder.empty() || recorder == model.graph.sha256) return "";
  const std::string name = declared(target, "model");
  return "--model is not what recorded this trace (sha256 " + model.graph.sha256.substr(0, 12) + "…, the trace" +
         (name.empty() ? "" : " of '" + printable(name, 60) + "'") + " has " + printable(recorder.substr(0, 12)) + "…)";
}

// In front of everything else that is said.
void say_first(const std::string& what, const char* joined_by, diagnose::Verdict& verdict) {
  if (what.empty()) return;
  verdict.before_headline = what + joined_by + verdict.before_headline;
  verdict.warnings.insert(verdict.warnings.begin(), what);
}

diagnose::Case new_case(const VerdictFlags& flags, Terminal& terminal, Progress& progress) {
  diagnose::Case known;
  known.gate = *diagnose::gate_from_name(flags.gate);
  known.max_replay = flags.max_replay;
  known.control = {terminal.stop, progress.callback()};
  return known;
}

}  // namespace

Result<Outcome> run(const CheckArgs& args, Terminal& terminal) {
  const auto inputs = joined(files_of(args.target), files_of(args.reference), files_of(args.data), std::vector{args.golden});
  if (auto good = check_flags(args.verdict, inputs); !good) return std::move(good.error());
  const auto level = pipeline::level_from_name(args.level);
  if (!level || *level == pipeline::Level::kNone)
    return Error{Fault::kUsage, "--level '" + printable(args.level) + "': expected io, embedding or layers"};
  const auto most = bytes_from_text(args.max_size);
  if (!most) return Error(most.error()).during("--max-size");
  std::string few;
  auto samples = samples_from(args.data, &few);
  if (!samples) return std::move(samples.error());
  if (!few.empty()) terminal.err << "warning: " << few << "\n";
  auto target = open_pipeline(args.target, terminal);
  if (!target) return std::move(target.error()).during("target");
  if (auto good = check_classes(*samples, target->session->outputs()); !good) return std::move(good.error());
  const TensorSpec target_input = target->input();
  auto reference = open_reference(args.reference, args.golden, "", &target_input, terminal);
  if (!reference) return std::move(reference.error());
  if (reference->pipeline) share_range(*target, reference->pipeline->input());
  auto folder = trace_folder(args.keep_traces);
  if (!folder) return std::move(folder.error());

  pipeline::RunOptions options;
  options.level = *level;
  options.most_bytes = *most;
  options.dataset = fs::path(args.data.data).filename().string();
  auto ran = record(*target, *samples, folder->path / "target.mcap", options, "target", terminal);
  if (!ran) return folder->told(std::move(ran.error()));
  report_problems(*ran, terminal);
  auto target_trace = trace::Reader::open(folder->path / "target.mcap");
  if (!target_trace) return std::move(target_trace.error());
  auto raw = pipeline::raw_inputs(*target_trace, *samples);
  if (!raw) return std::move(raw.error());
  const auto reference_path = reference_trace(*reference, *target_trace, *raw, args.data.data, folder->path / "reference.mcap", options, terminal);
  if (!reference_path) return folder->told(reference_path.error());
  auto reference_reader = trace::Reader::open(*reference_path);
  if (!reference_reader) return std::move(reference_reader.error());

  Progress progress(terminal, "diagnose");
  diagnose::Case known = new_case(args.verdict, terminal, progress);
  known.target = &*target_trace;
  known.reference = &*reference_reader;
  known.reference_pipeline = reference->pipeline ? &*reference->pipeline : nullptr;
  known.target_model = &*target;
  known.raw = &*raw;
  add_guess(*reference, &target_input, known);
  auto verdict = diagnose::diagnose(known);
  if (!verdict) return std::move(verdict.error());
  describe_pipeline(verdict->provenance, "target", *target);
  if (target->default_recipe)
    verdict->warnings.push_back("no --recipe was given: the deployment is taken to use the model's default, " + preprocess::to_text(target->recipe));
  add_reference(*reference, *verdict);
  add_shortfalls(*target_trace, *reference_reader, *verdict);
  verdict->warnings.insert(verdict->warnings.end(), ran->warnings.begin(), ran->warnings.end());
  if (!ran->unreadable.empty())
    verdict->warnings.push_back(std::to_string(ran->unreadable.size()) + " of " + std::to_string(samples->size()) +
                                " samples could not be read and were left out");
  return answer(args.verdict, *verdict, terminal);
}

Result<Outcome> run(const DiagnoseArgs& args, Terminal& terminal) {
  const auto inputs = joined(files_of(args.model), files_of(args.reference), files_of(args.data),
                             std::vector{args.target, args.golden, args.reference_trace});
  if (auto good = check_flags(args.verdict, inputs); !good) return std::move(good.error());
  auto target = trace::Reader::open(args.target);
  if (!target) return std::move(target.error());
  auto raw = raw_inputs(*target, args.data);
  if (!raw) return std::move(raw.error());
  if (!args.data.frames.empty() && (!args.golden.empty() || !args.reference_trace.empty()))
    return Error{Fault::kUsage, std::string("--frames says how many frames are replayed through the reference; with ") +
                                    (args.golden.empty() ? "--reference-trace" : "--golden") + " all that both have are compared: leave it out"};
  if (!args.data.labels.empty()) {
    std::vector<TensorSpec> outputs;
    for (const trace::ReadChannel& channel : target->channels())
      if (channel.channel.stage == trace::Stage::kModelOutput) outputs.push_back(channel.channel.spec);
    if (auto good = check_classes(raw->samples, outputs); !good) return std::move(good.error());
  }

  // A recorded trace may come with the model that made it: that one is then used for replays alone.
  const bool both = !args.reference_trace.empty() && !args.reference.model.empty();
  if (both && !args.reference.function.empty())
    return Error{Fault::kUsage, "--reference-trace holds the inputs that --reference-pipeline would make; leave one of them out"};
  std::optional<pipeline::Pipeline> model;
  if (!args.model.model.empty()) {
    auto spec = spec_from(args.model);
    if (!spec) return std::move(spec.error());
    // Its recipe is never used, so none is made up: a model without a usual input range has no default.
    spec->recipe.emplace();
    auto opened = pipeline::open(*spec);
    if (!opened) return std::move(opened.error()).during("target's model");
    model.emplace(*std::move(opened));
  }
  // Of a recorded reference the recipe is known where its trace states it.
  PipelineFlags by = args.reference;
  if (both && by.recipe.empty())
    if (const auto given = trace::Reader::open(args.reference_trace)) by.recipe = declared(*given, "recipe");
  const trace::ReadChannel* const recorded = first_input(*target);
  const TensorSpec* const target_input = recorded && preprocess::stated_range(recorded->channel.spec) ? &recorded->channel.spec
                                         : model                                                      ? &model->input()
                                                                                                      : nullptr;
  auto reference = open_reference(by, args.golden, both ? "" : args.reference_trace, target_input, terminal);
  if (!reference) return std::move(reference.error());
  if (both) reference->given = args.reference_trace;
  auto folder = trace_folder("");
  if (!folder) return std::move(folder.error());
  pipeline::RunOptions options;
  // As deep as the target's trace goes: layers are compared only when it has some.
  for (const trace::ReadChannel& channel : target->channels())
    if (channel.channel.stage == trace::Stage::kLayer) options.level = pipeline::Level::kLayers;
  const auto reference_path = reference_trace(*reference, *target, *raw, args.data.data, folder->path / "reference.mcap", options, terminal);
  if (!reference_path) return folder->told(reference_path.error());
  auto reference_reader = trace::Reader::open(*reference_path);
  if (!reference_reader) return std::move(reference_reader.error());

  Progress progress(terminal, "diagnose");
  diagnose::Case known = new_case(args.verdict, terminal, progress);
  known.target = &*target;
  known.reference = &*reference_reader;
  known.reference_pipeline = reference->pipeline ? &*reference->pipeline : nullptr;
  const std::string other_model = model ? not_the_recorder(*target, *model) : "";
  known.target_model = model && other_model.empty() ? &*model : nullptr;
  known.raw = &*raw;
  known.reference_replayed = args.reference_trace.empty();
  add_guess(*reference, target_input, known);
  auto verdict = diagnose::diagnose(known);
  if (!verdict) return std::move(verdict.error());
  say_first(raw->exchanged, "; read like that, ", *verdict);
  say_first(other_model, "; without it: ", *verdict);
  verdict->provenance["target.trace"] = fs::path(args.target).filename().string();
  add_reference(*reference, *verdict);
  if (known.target_model) describe_pipeline(verdict->provenance, "target", *model);
  for (const std::string& problem : target->problems()) verdict->warnings.push_back("target trace: " + problem);
  add_shortfalls(*target, *reference_reader, *verdict);
  if (!raw->without_raw.empty())
    verdict->warnings.push_back(std::to_string(raw->without_raw.size()) + " frames have no raw input, e.g. " +
                                printable(raw->without_raw.front()));
  return answer(args.verdict, *verdict, terminal);
}

}  // namespace edgeprobe::cli
