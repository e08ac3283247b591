// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/check_command.h"
#include "cli/options/open.h"

#include <algorithm>

#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

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

}  // namespace

Result<Outcome> run(const CheckArgs& args, Terminal& terminal) {
  return run_without({}, args, terminal);
}

Result<Outcome> run_without(const std::vector<dataset::Unreadable>& left_out, const CheckArgs& args,
                            Terminal& terminal) {
  const auto inputs = joined(files_of(args.target), files_of(args.reference), files_of(args.data),
                             std::vector{args.golden});
  EP_CHECK(check_flags(args.verdict, inputs));
  const auto level = pipeline::level_from_name(args.level);
  if (!level || *level == pipeline::Level::kNone)
    return Error{ErrorKind::kUsage,
                 "--level '" + sanitized(args.level) + "': expected io, embedding or layers"};
  const auto most = bytes_from_text(args.max_size);
  if (!most) return Error(most.error()).during("--max-size");
  EP_CHECK(download_if_asked(args.data, terminal));
  std::vector<std::string> few;
  EP_TRY(auto samples, samples_from(args.data, &few, terminal.control()));
  const std::size_t all = samples.size();
  std::erase_if(samples, [&](const dataset::Sample& sample) {
    return std::any_of(left_out.begin(), left_out.end(),
                       [&](const dataset::Unreadable& one) { return one.name == sample.name; });
  });
  // Both sides share one Python and one tokenizer, unless the reference has its own.
  PipelineFlags deployed = args.target, trusted = args.reference;
  if (trusted.interpreter.empty()) trusted.interpreter = deployed.interpreter;
  if (trusted.tokenizer.empty() && !trusted.recipe.empty()) trusted.tokenizer = deployed.tokenizer;
  auto target = spec_from(deployed, samples);
  if (!target) return std::move(target.error()).during("target");
  EP_TRY(auto reference, reference_from(trusted, args.golden, "", samples, &*target));
  check::CheckRequest request;
  request.target = *std::move(target);
  request.reference = std::move(reference);
  request.samples = std::move(samples);
  request.data = args.data.data;
  request.level = *level;
  request.most_bytes = *most;
  request.exhaustive = args.verdict.exhaustive;
  request.keep_traces = args.keep_traces;
  EP_TRY(request.judgement, judgement_from(args.verdict, args.data, terminal.control()));
  EP_TRY(auto verdict, check::check(request, observer_of(terminal)));
  for (const std::string& text : few) verdict.warnings.push_back(text);
  if (!left_out.empty())
    verdict.warnings.push_back(std::to_string(left_out.size()) + " of " + std::to_string(all) +
                               " samples could not be used and were left out");
  const AnswerOf of{
      "check", {placed_if_file(args.target.recipe), placed(args.target.model), ""}, ""};
  return answer(args.verdict, verdict, judged_of(request), of, terminal);
}

Work declare_check(Parser& parser) {
  auto args = std::make_shared<CheckArgs>();
  parser
      .option("model", args->target.model,
              "The deployed model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      .required();
  add_recipe_flag(
      parser, "--recipe", args->target.recipe,
      "The deployed pre-processing: text or a file; 'NAME: …' for one of several inputs");
  add_states(parser, args->target, "");
  parser.option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(parser, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(parser, args->reference, "reference-");
  add_python(parser, args->target, "", &args->data);
  add_python(parser, args->reference, "reference-");
  add_tokenizer(parser, args->target, "--tokenizer");
  add_tokenizer(parser, args->reference, "--reference-tokenizer", "; default: --tokenizer");
  add_states(parser, args->reference, "reference-");
  parser
      .option("--golden", args->golden,
              "Outputs known to be right, instead of a reference model "
              "(docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  add_data(parser, args->data, true);
  parser.option("--level", args->level, "Tensors to compare: io | embedding | layers")
      .shows_default();
  parser.option("--keep-traces", args->keep_traces,
                "Keep target.mcap and reference.mcap in this folder");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  add_verdict(parser, args->verdict);
  add_engine(parser, args->target, "", "Engine of the deployment");
  add_target(parser, args->target, "Engine of the deployment");
  add_cpus(parser, args->target, "", "Engine of the deployment");
  add_engine(parser, args->reference, "reference-", "Engine of the reference");
  return work_of(args);
}

}  // namespace edgeprobe::cli
