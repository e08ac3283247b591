// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/check/judging.h"
#include "cli/options/data_flags.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/recorded.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe diagnose t.mcap --reference MODEL --reference-recipe R`: explains why a
/// trace differs.
struct DiagnoseArgs {
  std::string target;       ///< The trace to explain.
  PipelineFlags reference;  ///< Empty: no replay, only `reference_trace` or `golden`.
  std::string reference_trace;
  std::string golden;  ///< A file of golden outputs.
  /// The target's own model, for `restored`; model.model may be empty.
  PipelineFlags model;
  DataFlags data;  ///< Raw inputs and labels missing from the trace.
  VerdictFlags verdict;
};

namespace {

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

}  // namespace

Result<Outcome> run(const DiagnoseArgs& args, Terminal& terminal) {
  const auto inputs = joined(files_of(args.model), files_of(args.reference), files_of(args.data),
                             std::vector{args.target, args.golden, args.reference_trace});
  EP_CHECK(check_flags(args.verdict, inputs));
  EP_TRY(auto target, trace::Reader::open(args.target));
  EP_TRY(auto raw, raw_inputs(target, args.data, terminal));
  if (!args.data.frames.empty() && (!args.golden.empty() || !args.reference_trace.empty()))
    return Error{
        ErrorKind::kUsage,
        std::string("--frames says how many frames are replayed through the reference; with ") +
            (args.golden.empty() ? "--reference-trace" : "--golden") +
            " all that both have are compared: leave it out"};
  EP_TRY(auto judgement, judgement_from(args.verdict, args.data, terminal.control()));
  if (is_labelled(args.data)) {
    std::vector<TensorSpec> outputs;
    for (const trace::ReadChannel& channel : target.channels())
      if (channel.channel.stage == trace::Stage::kModelOutput)
        outputs.push_back(channel.channel.spec);
    if (const std::string fitted =
            dataset::fit_background(raw.samples, outputs, &judgement.terms.classes);
        !fitted.empty())
      terminal.err << "note: " << fitted << "\n";
    EP_CHECK(dataset::check_classes(raw.samples, outputs));
    if (const std::string doubt = folders_in_doubt(args.data, raw.samples, outputs); !doubt.empty())
      terminal.err << "warning: " << doubt << "\n";
  }
  check::ExplainRequest request;
  request.target = &target;
  request.raw = &raw;
  request.data = args.data.data;
  request.exhaustive = args.verdict.exhaustive;
  request.judgement = std::move(judgement);
  EP_TRY(request.states, states_from(args.model));
  if (!args.model.model.empty()) {
    EP_TRY(request.model, spec_from(args.model, raw.samples));
  }
  PipelineFlags trusted = args.reference;
  if (trusted.interpreter.empty()) trusted.interpreter = args.model.interpreter;
  EP_TRY(request.reference, reference_from(trusted, args.golden, args.reference_trace, raw.samples,
                                           request.model ? &*request.model : nullptr));
  EP_TRY(auto verdict, check::explain(request, observer_of(terminal)));
  if (const auto started = target.declared("started"))
    verdict.provenance["target.started"] = *started;
  // The app's own code is not available: assume the reference's recipe, which it should follow.
  const std::string& model = args.model.model.empty() ? args.reference.model : args.model.model;
  const AnswerOf of{
      "diagnose",
      {placed_if_file(args.reference.recipe), placed_if_file(model), placed(args.target)},
      recorded_text(target)};
  return answer(args.verdict, verdict, judged_of(request), of, terminal);
}

Work declare_diagnose(Parser& parser) {
  auto args = std::make_shared<DiagnoseArgs>();
  parser.option("trace", args->target, "The trace to explain").required();
  parser.option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(parser, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(parser, args->reference, "reference-");
  add_python(parser, args->model, "", &args->data);
  add_python(parser, args->reference, "reference-");
  add_tokenizer(parser, args->reference, "--reference-tokenizer");
  add_states(parser, args->reference, "reference-");
  parser
      .option("--golden", args->golden,
              "Outputs known to be right, instead of a reference model "
              "(docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  parser.option("--reference-trace", args->reference_trace,
                "A recorded trace of the reference, instead of a replay");
  parser.option("--model", args->model.model,
                "The target's own model, to measure what a fix restores");
  add_states(parser, args->model, "");
  add_data(parser, args->data, false);
  add_verdict(parser, args->verdict);
  add_engine(parser, args->model, "", "Engine of the target's model");
  add_target(parser, args->model, "Engine of the target's model");
  add_engine(parser, args->reference, "reference-", "Engine of the reference");
  return work_of(args);
}

}  // namespace edgeprobe::cli
