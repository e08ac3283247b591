// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/commands/compare/compare_result.h"
#include "cli/commands/compare/compare_text.h"
#include "cli/options/json_flag.h"
#include "cli/options/map_flag.h"
#include "cli/options/node_data_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/truth_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/recorded.h"
#include "cli/terminal/progress.h"
#include "compare/align/names.h"
#include "compare/compare_traces.h"
#include "compare/decision.h"
#include "compare/golden/golden.h"
#include "compare/outputs/agreement.h"
#include "compare/recording.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

using compare::Agreement;
using compare::LayerAgreement;

std::vector<trace::Channel> channels_of(const trace::Reader& reader) {
  std::vector<trace::Channel> channels;
  for (const trace::ReadChannel& channel : reader.channels()) channels.push_back(channel.channel);
  return channels;
}

Result<std::vector<std::pair<std::string, std::string>>> mapping_from(
    const std::string& file, const trace::Reader& reference, const trace::Reader& target) {
  std::vector<std::pair<std::string, std::string>> mapping;
  if (file.empty()) return mapping;
  EP_TRY(auto map, map_from(file));
  if (auto good = compare::check_map(map, channels_of(reference), channels_of(target)); !good)
    return std::move(good.error()).during("--map '" + sanitized(file) + "'");
  for (compare::MappedNames& pair : map)
    mapping.emplace_back(std::move(pair.reference), std::move(pair.target));
  return mapping;
}

// The patterns that match no layer.
std::vector<std::string> idle_patterns(const Agreement& agreement,
                                       const std::vector<std::string>& patterns) {
  std::vector<std::string> idle;
  for (const std::string& pattern : patterns)
    if (std::none_of(agreement.layers.begin(), agreement.layers.end(),
                     [&](const LayerAgreement& layer) {
                       return (layer.stage == trace::Stage::kLayer ||
                               layer.stage == trace::Stage::kIntermediate) &&
                              (compare::fits_any({pattern}, layer.stage, layer.name) ||
                               compare::fits_any({pattern}, layer.stage, layer.target_name));
                     }))
      idle.push_back(pattern);
  return idle;
}

// A pattern without a match is a mistake, not an agreement.
Error no_layer_fits(const Agreement& agreement, const std::vector<std::string>& patterns,
                    const trace::Reader& reference) {
  std::string what = "--layers " + quoted_patterns(patterns) + " fits none of " +
                     std::to_string(agreement.layers_paired) + " paired layers";
  if (agreement.layers_paired == 0)
    return {ErrorKind::kUsage, what + "; record both traces with --level layers"};
  std::size_t shown = 0;
  for (const trace::ReadChannel& channel : reference.channels())
    if (channel.channel.stage == trace::Stage::kLayer && shown < 3)
      what += (shown++ ? ", '" : "; names are such as '") +
              sanitized(channel.channel.spec.name, 60) + "'";
  return {ErrorKind::kUsage, what};
}

}  // namespace

/// kDone: exact, or below the floor without a significant loss of accuracy. Else kDiffers, or
/// kUndecided if no frame or no tensor could be joined, or if interrupted.
Result<Outcome> run(const CompareArgs& args, Terminal& terminal) {
  if (args.floor && !(*args.floor >= 0))
    return Error{ErrorKind::kUsage, "--floor: expected a number that is not negative"};
  if (args.golden.empty() == args.target.empty())
    return Error{ErrorKind::kUsage,
                 args.golden.empty() ? "give two traces, or one and --golden FILE"
                                     : "--golden takes the place of the reference: give one trace"};
  if (args.images != "full" && args.images != "none")
    return Error{ErrorKind::kUsage,
                 "--images '" + sanitized(args.images) + "': expected full or none"};
  EP_CHECK(check_texts(
      with_rulings(
          {{"--json", args.json.file}, {"--html", args.html}, {"--node-data", args.node_data}},
          args.rulings),
      {args.reference, args.target, args.golden, args.map, args.truth.labels, args.truth.classes}));
  auto target = trace::Reader::open(args.golden.empty() ? args.target : args.reference);
  if (!target) return std::move(target.error()).during("target");
  EP_TRY(auto folder, ScratchFolder::make());
  std::filesystem::path reference_path = args.reference;
  std::optional<compare::GoldenReport> golden;
  if (!args.golden.empty()) {
    reference_path = folder.path() / "golden.mcap";
    EP_TRY(golden, compare::golden_trace(args.golden, *target, reference_path));
    for (const std::string& warning : golden->warnings)
      terminal.err << "warning: " << warning << "\n";
  }
  auto reference = trace::Reader::open(reference_path);
  if (!reference) return std::move(reference.error()).during("reference");
  compare::CompareOptions options;
  options.join_by_frame_number = args.by_frame_number;
  options.layers = args.layers;
  EP_TRY(options.mapping, mapping_from(args.map, *reference, *target));
  EP_TRY(auto truth, truth_from(args.truth));
  if (!truth.labels.empty()) options.truths = truths_of(truth.labels);
  options.terms = truth.terms;
  EP_TRY(const auto metric, metric_from(args.metric, terminal.control()));
  options.metric = metric.get();
  Result<Agreement> agreement = [&] {
    Progress progress(terminal, "comparing");
    return compare::compare_traces(*reference, *target, options,
                                   {terminal.stop, progress.callback()});
  }();
  if (!agreement && agreement.error().kind == ErrorKind::kCorrupt)
    agreement.error().what +=
        "; 'edgeprobe trace recover' makes a whole file of what is left of a damaged trace";
  if (!agreement) return std::move(agreement.error());
  if (const auto idle = idle_patterns(*agreement, args.layers);
      !agreement->interrupted && !idle.empty() && !agreement->frames.empty())
    return no_layer_fits(*agreement, idle, *reference);
  if (!truth.labels.empty() && !agreement->frames.empty() && !agreement->interrupted &&
      std::none_of(agreement->frames.begin(), agreement->frames.end(),
                   [](const compare::FrameAgreement& frame) { return frame.annotation; }))
    return Error{ErrorKind::kUsage, "--labels '" + sanitized(args.truth.labels, 200) +
                                        "' fits no frame of the traces; 'edgeprobe trace cat' "
                                        "shows what their samples are called"};
  for (const std::string& problem : reference->problems())
    terminal.err << "warning: reference: " << problem << "\n";
  for (const std::string& problem : target->problems())
    terminal.err << "warning: target: " << problem << "\n";
  if (!reference->problems().empty() || !target->problems().empty())
    terminal.err
        << "'edgeprobe trace recover' makes a whole file of what is left of a damaged trace\n";
  for (const std::string& said : compare::shortfalls(*reference))
    terminal.err << "warning: reference: " << said << "\n";
  for (const std::string& said : compare::shortfalls(*target))
    terminal.err << "warning: target: " << said << "\n";
  for (const std::string& problem : agreement->problems)
    terminal.err << "warning: " << problem << "\n";

  Decision decision = decide(*agreement, args);
  if (agreement->layers.empty() && !agreement->frames.empty() &&
      decision.outcome == Outcome::kUndecided) {
    const std::string unlike = compare::unlike_tensors(*reference, *target);
    if (!unlike.empty()) decision.headline += "; " + unlike;
  }
  EP_CHECK(write_node_data(args.node_data, report::tensor_drifts(*agreement)));
  if (args.rulings.wanted())
    EP_CHECK(write_rulings(args.rulings, rulings_of(*agreement, decision, args)));
  if (!args.html.empty()) {
    diagnose::Case known;
    known.target = &*target;
    known.reference = &*reference;
    known.terms = options.terms;
    EP_TRY(const auto page, page_text(known, *agreement, decision, args));
    EP_CHECK(write_file(args.html, view_of(page)));
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, json_text(*agreement, decision, args, golden), terminal.out));
  const bool json_only = args.json.wanted && args.json.file.empty();
  if (!json_only)
    write_text(terminal.out, *agreement, decision, args,
               {args.golden.empty() ? recorded_text(*reference) : "", recorded_text(*target)});
  if (!args.html.empty()) terminal.err << "report: " << sanitized(args.html, 400) << "\n";
  if (agreement->interrupted)
    return Error{ErrorKind::kInterrupted, "stopped; the figures are of " +
                                              std::to_string(agreement->frames.size()) + " frames"};
  return decision.outcome;
}

Work declare_compare(Parser& parser) {
  auto args = std::make_shared<CompareArgs>();
  parser
      .option("reference", args->reference, "The trusted trace (with --golden: the trace to judge)")
      .required();
  parser.option("target", args->target, "The trace to judge");
  parser
      .option(
          "--golden", args->golden,
          "Outputs known to be right, instead of a trusted trace (docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  parser
      .option("--layers", args->layers,
              "Compare only layers with a matching name, and show each: '*' any characters, '?' "
              "one (repeatable)")
      .repeatable()
      .type("PATTERN");
  add_map(parser, args->map);
  parser.option("--top", args->top, "Number of tensors to list, the farthest first")
      .shows_default();
  parser.flag("--by-frame-number", args->by_frame_number,
              "Join frames by number even if both traces name their samples");
  parser.option("--floor", args->floor,
                "Mean output distance that counts as agreement (default 0.02, or 0.10 for "
                "integers, more for few frames)");
  parser
      .option("--first-above", args->first_above,
              "Name the first layer whose RMSE over range is above this (ML-EXray's rule; default: "
              "above rounding)")
      .positive();
  add_truth(parser, args->truth);
  add_metric(parser, args->metric);
  add_json(parser, args->json);
  parser.option("--html", args->html, "Write the comparison as one self-contained page");
  parser.option("--images", args->images, "Pictures in the page: full | none").shows_default();
  add_node_data(parser, args->node_data);
  add_rulings(parser, args->rulings);
  return work_of(args);
}

}  // namespace edgeprobe::cli
