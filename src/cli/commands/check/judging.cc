// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/judging.h"

#include <algorithm>
#include <filesystem>

#include "check/reference.h"
#include "cli/fix/fix_folder.h"
#include "cli/options/map_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/node_data_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/truth_flags.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "layers/pairing/pairing.h"
#include "report/fixes/fixes.h"
#include "report/json/verdict.h"
#include "report/page/page.h"
#include "report/text/verdict.h"

namespace edgeprobe::cli {

namespace {

constexpr std::string_view kByMetric = "metric";

// The gate of accuracy is by the metric if there is one.
std::optional<diagnose::Gate> gate_of(const VerdictFlags& flags) {
  return diagnose::gate_from_name(flags.gate == kByMetric ? "accuracy" : flags.gate);
}

}  // namespace

void add_verdict(Parser& parser, VerdictFlags& flags) {
  parser.option("--gate", flags.gate, "Criterion for a difference: outputs | accuracy | metric")
      .shows_default();
  add_metric(parser, flags.metric);
  add_boxes(parser, flags.boxes);
  add_json(parser, flags.json);
  parser.option("--html", flags.html, "Write the report as one self-contained page");
  add_node_data(parser, flags.node_data);
  add_rulings(parser, flags.rulings);
  parser.option("--images", flags.images, "Pictures in the page and the JSON: full | none")
      .shows_default();
  parser
      .option("--max-replay", flags.max_replay,
              "Maximum number of frames in counterfactual replays")
      .shows_default();
  parser.flag(
      "--exhaustive", flags.exhaustive,
      "Compare the layers of all frames, not only of 16 drawn at random, and run all replays");
  parser
      .option("--first-above", flags.first_above,
              "Name the first layer whose RMSE over range is above this (ML-EXray's rule; default: "
              "above rounding)")
      .positive();
  add_map(parser, flags.map);
  parser
      .option("--write-fix", flags.fix.folder,
              "Write a checked fix into a new folder: recipe, calibration list, layers kept in "
              "float32, and the model quantised again with them")
      .type("DIR");
  parser
      .option("--fix-python", flags.fix.python,
              "A Python that has the quantiser (default: an environment created on demand)")
      .type("PROGRAM");
}

Status check_flags(const VerdictFlags& flags, const std::vector<std::string>& inputs) {
  if (!gate_of(flags))
    return Error{ErrorKind::kUsage,
                 "--gate '" + sanitized(flags.gate) + "': expected outputs, accuracy or metric"};
  if (flags.gate == kByMetric && flags.metric.empty())
    return Error{ErrorKind::kUsage, "--gate metric: by which one? Give --metric FILE.py:CLASS"};
  if (flags.images != "full" && flags.images != "none")
    return Error{ErrorKind::kUsage,
                 "--images '" + sanitized(flags.images) + "': expected full or none"};
  if (!flags.fix.folder.empty() && !flags.metric.empty())
    return Error{ErrorKind::kUsage,
                 "--write-fix chooses by the task's own metric or the outputs: leave --metric out"};
  EP_CHECK(check_fix_folder(flags.fix));
  if (flags.max_replay == 0) return Error{ErrorKind::kUsage, "--max-replay 0: expected at least 1"};
  std::vector<std::string> read = inputs;
  read.push_back(flags.map);
  return check_texts(
      with_rulings(
          {{"--json", flags.json.file}, {"--html", flags.html}, {"--node-data", flags.node_data}},
          flags.rulings),
      read);
}

Result<check::Judgement> judgement_from(const VerdictFlags& flags, const DataFlags& data,
                                        const Control& control) {
  EP_TRY(const auto boxes, boxes_from(flags.boxes));
  check::Judgement judgement{
      *gate_of(flags),
      flags.max_replay,
      flags.first_above > 0 ? std::optional(flags.first_above) : std::nullopt,
      {},
      {}};
  judgement.terms.boxes = boxes;
  EP_TRY(judgement.metric, metric_from(flags.metric, data, control));
  // Reads only the class names: the annotations came with the samples.
  EP_TRY(judgement.mapping, map_from(flags.map));
  EP_TRY(judgement.terms.classes, class_names_from(data));
  return judgement;
}

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
    EP_TRY(auto function, function_from(flags));
    return check::Reference(check::ReferenceFunction{std::move(function)});
  }
  if (!by_model) return check::Reference(check::RecordedReference{recorded, std::nullopt});
  PipelineFlags by = flags;
  // A recorded reference has a known recipe only if its trace contains it.
  if (!recorded.empty() && by.recipe.empty())
    if (const auto given = trace::Reader::open(recorded))
      by.recipe = given->declared("recipe").value_or("");
  auto spec = spec_from(by, samples);
  if (!spec) return std::move(spec.error()).during("reference");
  if (target) check::share_states(target->states, *spec);
  if (recorded.empty()) return check::Reference(check::ReferenceModel{*std::move(spec)});
  return check::Reference(check::RecordedReference{recorded, *std::move(spec)});
}

void look_at(const std::filesystem::path& model, Judged& judged) {
  model::FileBytes file;
  const auto graph = model::load(model, file);
  if (!graph) return;
  judged.quantised = layers::rounds_to_codes(*graph);
  for (const int input : graph->inputs)
    judged.integer_input = !is_float(graph->tensors[static_cast<std::size_t>(input)].spec.dtype);
}

namespace {

// True for an input that was compared as a tensor: code snippets are for pictures.
bool is_of_tensors(const diagnose::Cause& cause) {
  return std::any_of(cause.evidence.begin(), cause.evidence.end(),
                     [](const auto& one) { return one.kind == diagnose::EvidenceKind::kStage; });
}

// The user requested the page: insert its name instead of the advice to request it.
void name_page(diagnose::Verdict& verdict, const std::string& page) {
  for (diagnose::Cause& cause : verdict.causes)
    if (const auto at = cause.detail.find(diagnose::kSeePictures); at != std::string::npos)
      cause.detail.replace(at, diagnose::kSeePictures.size(), "; see the pictures in " + page);
}

}  // namespace

Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Judged judged,
                       const AnswerOf& of, Terminal& terminal) {
  judged.verdict = &verdict;
  verdict.provenance["tool"] = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  const auto& cut = verdict.coverage.cut_short;
  if (!flags.fix.folder.empty() && !cut) {
    EP_TRY(verdict.written_fix, write_fix(flags.fix, judged, terminal));
  }
  // Unconfirmed causes have no fix.
  for (diagnose::Cause& cause : verdict.causes)
    if (cause.stage == diagnose::CauseStage::kPreprocessing &&
        (cause.status == diagnose::CauseStatus::kConfirmed ||
         cause.status == diagnose::CauseStatus::kNote) &&
        !is_of_tensors(cause))
      cause.fix_code = report::fix_code(cause.kind, cause.fix_step);
  const report::Images images =
      flags.images == "none" ? report::Images::kNone : report::Images::kFull;
  if (!flags.html.empty()) {
    name_page(verdict, std::filesystem::path(flags.html).filename().string());
    EP_CHECK(write_file(flags.html, view_of(report::render_html(verdict, {images}))));
  }
  EP_CHECK(write_node_data(flags.node_data, report::tensor_drifts(verdict)));
  if (flags.rulings.wanted()) {
    report::Rulings rulings = report::rulings_of(verdict, of.verb, of.files);
    rulings.page = std::filesystem::path(flags.html).filename().string();
    EP_CHECK(write_rulings(flags.rulings, rulings));
  }
  const bool json_only = flags.json.wanted && flags.json.file.empty();
  if (flags.json.wanted)
    EP_CHECK(write_result(flags.json, report::render_json(verdict, {images}), terminal.out));
  if (!json_only) terminal.out << report::render_text(verdict, {terminal.color, 100, of.recorded});
  if (!flags.html.empty()) terminal.err << "report: " << sanitized(flags.html, 400) << "\n";
  if (cut) return cut->error;
  if (verdict.written_fix && verdict.written_fix->stopped) return interrupted();
  switch (verdict.outcome) {
    case diagnose::Outcome::kAgrees: return Outcome::kDone;
    case diagnose::Outcome::kDiffers: return Outcome::kDiffers;
    case diagnose::Outcome::kUndecided: return Outcome::kUndecided;
  }
  return Outcome::kUndecided;
}

}  // namespace edgeprobe::cli
