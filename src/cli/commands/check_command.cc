// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check_command.h"

#include <algorithm>
#include <memory>

#include "check/check.h"
#include "check/states.h"
#include "cli/commands/check_without.h"
#include "cli/commands/run_command.h"
#include "cli/fix/fix_folder.h"
#include "cli/fix/write_fix.h"
#include "cli/options/folder_order.h"
#include "cli/options/overwrite.h"
#include "cli/options/truth_flags.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "diagnose/layers/pairing/pairing.h"
#include "report/fixes/fixes.h"
#include "report/json/verdict.h"
#include "report/page/page.h"
#include "report/text/verdict.h"

namespace edgeprobe::cli {
namespace {

Status check_flags(const VerdictFlags& flags, const std::vector<std::string>& inputs) {
  if (!diagnose::gate_from_name(flags.gate))
    return Error{ErrorKind::kUsage,
                 "--gate '" + sanitized(flags.gate) + "': expected outputs or accuracy"};
  if (flags.images != "full" && flags.images != "none")
    return Error{ErrorKind::kUsage,
                 "--images '" + sanitized(flags.images) + "': expected full or none"};
  if (auto good = check_fix_folder(flags.fix); !good) return good;
  if (flags.max_replay == 0) return Error{ErrorKind::kUsage, "--max-replay 0: expected at least 1"};
  return check_texts({{"--json", flags.json.file}, {"--html", flags.html}}, inputs);
}

Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Judged judged,
                       Terminal& terminal) {
  judged.verdict = &verdict;
  verdict.provenance["tool"] = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  if (!flags.fix.folder.empty()) {
    auto written = write_fix(flags.fix, judged, terminal);
    if (!written) return std::move(written.error());
    verdict.written_fix = *std::move(written);
  }
  // What is not confirmed has no fix.
  for (diagnose::Cause& cause : verdict.causes)
    if (cause.stage == diagnose::CauseStage::kPreprocessing &&
        (cause.status == diagnose::CauseStatus::kConfirmed ||
         cause.status == diagnose::CauseStatus::kNote))
      cause.fix_code = report::fix_code(cause.kind, cause.fix_step);
  const report::Images images =
      flags.images == "none" ? report::Images::kNone : report::Images::kFull;
  if (!flags.html.empty()) {
    if (auto done = write_file(flags.html, view_of(report::render_html(verdict, {images}))); !done)
      return std::move(done.error());
  }
  const bool json_only = flags.json.wanted && flags.json.file.empty();
  if (flags.json.wanted)
    if (auto done = write_result(flags.json, report::render_json(verdict, {images}), terminal.out);
        !done)
      return std::move(done.error());
  if (!json_only) terminal.out << report::render_text(verdict, {terminal.color, 100});
  if (!flags.html.empty()) terminal.err << "report: " << sanitized(flags.html, 400) << "\n";
  if (verdict.written_fix && verdict.written_fix->stopped) return interrupted();
  switch (verdict.outcome) {
    case diagnose::Outcome::kAgrees: return Outcome::kDone;
    case diagnose::Outcome::kDiffers: return Outcome::kDiffers;
    case diagnose::Outcome::kUndecided: return Outcome::kUndecided;
  }
  return Outcome::kUndecided;
}

// What --reference, --reference-recipe, --reference-pipeline, --golden and --reference-trace name.
// A recorded trace may come with the model that made it.
Result<check::Reference> reference_from(const PipelineFlags& flags, const std::string& golden,
                                        const std::string& recorded,
                                        const std::vector<dataset::Sample>& samples,
                                        const pipeline::PipelineSpec* target) {
  const bool by_model = !flags.model.empty(), by_function = !flags.function.empty();
  if (!by_model && !by_function && golden.empty() && recorded.empty())
    return Error{ErrorKind::kUsage,
                 "no reference is named: give --reference MODEL with --reference-recipe R or "
                 "--reference-pipeline "
                 "FILE.py:FUNCTION, or --golden FILE with known right outputs"};
  if (!recorded.empty() && by_model && by_function)
    return Error{ErrorKind::kUsage,
                 "--reference-trace holds the inputs that --reference-pipeline would make; leave "
                 "one of them out"};
  const bool made_here = (by_model || by_function) && !(by_model && !recorded.empty());
  if (int(made_here) + int(!golden.empty()) + int(!recorded.empty()) > 1) {
    const std::string made = by_model ? "--reference MODEL" : "--reference-pipeline";
    const std::string first = made_here ? made : "--golden",
                      second = golden.empty() || !made_here ? "--reference-trace" : "--golden";
    return Error{ErrorKind::kUsage, "more than one reference is named: " + first + " and " +
                                        second + "; leave one of them out"};
  }
  if (!flags.recipe.empty() && by_function)
    return Error{ErrorKind::kUsage,
                 "--reference-recipe and --reference-pipeline both make the reference's input; "
                 "leave one of them out"};
  if (!flags.recipe.empty() && !by_model)
    return Error{
        ErrorKind::kUsage,
        std::string("--reference-recipe makes the input of --reference MODEL, which is not given") +
            (golden.empty() ? "" : "; --golden holds outputs, so leave --reference-recipe out") +
            (recorded.empty() ? ""
                              : "; leave it out, or give the model that made --reference-trace")};
  if (!golden.empty()) return check::Reference(check::GoldenOutputs{golden});
  if (by_function && !by_model) {
    auto function = function_from(flags);
    if (!function) return std::move(function.error());
    return check::Reference(check::ReferenceFunction{*std::move(function)});
  }
  if (!by_model) return check::Reference(check::RecordedReference{recorded, std::nullopt});
  PipelineFlags by = flags;
  // Of a recorded reference the recipe is known where its trace states it.
  if (!recorded.empty() && by.recipe.empty())
    if (const auto given = trace::Reader::open(recorded))
      by.recipe = given->declared("recipe").value_or("");
  auto spec = spec_from(by, samples);
  if (!spec) return std::move(spec.error()).during("reference");
  if (target) check::share_states(target->states, *spec);
  if (recorded.empty()) return check::Reference(check::ReferenceModel{*std::move(spec)});
  return check::Reference(check::RecordedReference{recorded, *std::move(spec)});
}

Result<check::Judgement> judgement_from(const VerdictFlags& flags, const DataFlags& data) {
  const auto boxes = boxes_from(flags.boxes);
  if (!boxes) return boxes.error();
  check::Judgement judgement{
      *diagnose::gate_from_name(flags.gate),
      flags.max_replay,
      flags.first_above > 0 ? std::optional(flags.first_above) : std::nullopt,
      {}};
  judgement.terms.boxes = *boxes;
  // The names alone: the annotations have come with the samples.
  auto names = dataset::read_labels("", data.classes);
  if (!names) return std::move(names.error());
  judgement.terms.classes = std::move(names->classes);
  return judgement;
}

/// Whether a model computes in integers, and is fed them.
void look_at(const std::filesystem::path& model, Judged& judged) {
  model::FileBytes file;
  const auto graph = model::load(model, file);
  if (!graph) return;
  judged.quantised = layers::rounds_to_codes(*graph);
  for (const int input : graph->inputs)
    judged.integer_input = !is_float(graph->tensors[static_cast<std::size_t>(input)].spec.dtype);
}

Judged judged_of(const check::CheckRequest& request) {
  Judged judged;
  judged.reference = &request.reference;
  judged.target = request.target;
  judged.samples = request.samples;
  judged.data = request.data;
  judged.judgement = request.judgement;
  look_at(request.target.model, judged);
  return judged;
}

Judged judged_of(const check::ExplainRequest& request) {
  Judged judged;
  judged.reference = &request.reference;
  judged.target = request.model;
  judged.samples = request.raw->samples;
  judged.data = request.data;
  judged.judgement = request.judgement;
  for (const trace::ReadChannel& channel : request.target->channels()) {
    const TensorSpec& spec = channel.channel.spec;
    judged.quantised = judged.quantised || !spec.quantization.empty();
    if (channel.channel.stage == trace::Stage::kModelInput)
      judged.integer_input = !is_float(spec.dtype) && !spec.quantization.empty();
  }
  if (request.model) look_at(request.model->model, judged);
  return judged;
}

check::Observer observer_of(Terminal& terminal) {
  check::Observer observer;
  observer.stop = terminal.stop;
  observer.step = [&terminal](const std::string& step) {
    Control control;
    control.progress = [bar = std::make_shared<Progress>(terminal, step)](
                           std::size_t done, std::size_t all, const std::string& what) {
      bar->show(done, all, what);
    };
    return control;
  };
  observer.notice = [&terminal](const std::string& text) { terminal.err << text << "\n"; };
  return observer;
}

}  // namespace

Result<Outcome> run(const CheckArgs& args, Terminal& terminal) {
  return run_without({}, args, terminal);
}

Result<Outcome> run_without(const std::vector<dataset::Unreadable>& left_out, const CheckArgs& args,
                            Terminal& terminal) {
  const auto inputs = joined(files_of(args.target), files_of(args.reference), files_of(args.data),
                             std::vector{args.golden});
  if (auto good = check_flags(args.verdict, inputs); !good) return std::move(good.error());
  const auto level = pipeline::level_from_name(args.level);
  if (!level || *level == pipeline::Level::kNone)
    return Error{ErrorKind::kUsage,
                 "--level '" + sanitized(args.level) + "': expected io, embedding or layers"};
  const auto most = bytes_from_text(args.max_size);
  if (!most) return Error(most.error()).during("--max-size");
  std::string few;
  auto samples = samples_from(args.data, &few);
  if (!samples) return std::move(samples.error());
  const std::size_t all = samples->size();
  std::erase_if(*samples, [&](const dataset::Sample& sample) {
    return std::any_of(left_out.begin(), left_out.end(),
                       [&](const dataset::Unreadable& one) { return one.name == sample.name; });
  });
  if (!few.empty()) terminal.err << "warning: " << few << "\n";
  // One Python and one tokenizer serve both sides.
  PipelineFlags deployed = args.target, trusted = args.reference;
  deployed.interpreter = trusted.interpreter;
  if (trusted.tokenizer.empty() && !trusted.recipe.empty()) trusted.tokenizer = deployed.tokenizer;
  auto target = spec_from(deployed, *samples);
  if (!target) return std::move(target.error()).during("target");
  auto reference = reference_from(trusted, args.golden, "", *samples, &*target);
  if (!reference) return std::move(reference.error());
  check::CheckRequest request;
  request.target = *std::move(target);
  request.reference = *std::move(reference);
  request.samples = *std::move(samples);
  request.data = args.data.data;
  request.level = *level;
  request.most_bytes = *most;
  request.keep_traces = args.keep_traces;
  auto judgement = judgement_from(args.verdict, args.data);
  if (!judgement) return std::move(judgement.error());
  request.judgement = *std::move(judgement);
  auto verdict = check::check(request, observer_of(terminal));
  if (!verdict) return std::move(verdict.error());
  if (!left_out.empty())
    verdict->warnings.push_back(std::to_string(left_out.size()) + " of " + std::to_string(all) +
                                " samples could not be used and were left out");
  return answer(args.verdict, *verdict, judged_of(request), terminal);
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
    return Error{
        ErrorKind::kUsage,
        std::string("--frames says how many frames are replayed through the reference; with ") +
            (args.golden.empty() ? "--reference-trace" : "--golden") +
            " all that both have are compared: leave it out"};
  if (!args.data.labels.empty()) {
    std::vector<TensorSpec> outputs;
    for (const trace::ReadChannel& channel : target->channels())
      if (channel.channel.stage == trace::Stage::kModelOutput)
        outputs.push_back(channel.channel.spec);
    if (auto good = dataset::check_classes(raw->samples, outputs); !good)
      return std::move(good.error());
    if (const std::string doubt = folders_in_doubt(args.data, raw->samples, outputs);
        !doubt.empty())
      terminal.err << "warning: " << doubt << "\n";
  }
  check::ExplainRequest request;
  request.target = &*target;
  request.raw = &*raw;
  request.data = args.data.data;
  auto judgement = judgement_from(args.verdict, args.data);
  if (!judgement) return std::move(judgement.error());
  request.judgement = *std::move(judgement);
  auto states = states_from(args.model);
  if (!states) return std::move(states.error());
  request.states = *std::move(states);
  if (!args.model.model.empty()) {
    auto spec = spec_from(args.model, raw->samples);
    if (!spec) return std::move(spec.error());
    request.model = *std::move(spec);
  }
  auto reference = reference_from(args.reference, args.golden, args.reference_trace, raw->samples,
                                  request.model ? &*request.model : nullptr);
  if (!reference) return std::move(reference.error());
  request.reference = *std::move(reference);
  auto verdict = check::explain(request, observer_of(terminal));
  if (!verdict) return std::move(verdict.error());
  return answer(args.verdict, *verdict, judged_of(request), terminal);
}

}  // namespace edgeprobe::cli
