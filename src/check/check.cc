// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <numeric>

#include "check/cut_off.h"
#include "check/layer_frames.h"
#include "check/recording.h"
#include "check/recordings.h"
#include "check/trace_folder.h"
#include "check/verdict.h"
#include "dataset/labels.h"
#include "diagnose/diagnose.h"
#include "pipeline/inputs/feed.h"

namespace edgeprobe::check {

Result<diagnose::Verdict> check(const CheckRequest& request, const Observer& observer) {
  auto target = open_pipeline(request.target, nullptr, observer);
  if (!target) return std::move(target.error()).during("target");
  Judgement judgement = request.judgement;
  auto labelled = request.samples;
  const std::string background =
      dataset::fit_background(labelled, target->session->outputs(), &judgement.terms.classes);
  EP_CHECK(dataset::check_classes(labelled, target->session->outputs()));
  const TensorSpec target_input = target->input();
  // The target's own codes become real numbers for a reference that computes in those.
  std::vector<TensorSpec> inputs;
  for (const int input : target->graph.inputs)
    inputs.push_back(target->graph.tensors[static_cast<std::size_t>(input)].spec);
  const auto samples = pipeline::with_scales(labelled, inputs);
  Reference judge = request.reference;
  if (auto* model = std::get_if<ReferenceModel>(&judge); model && !samples.empty())
    model->spec.arrays = samples.front().arrays;
  EP_TRY(auto reference, open_reference(judge, &target_input, observer));
  if (reference.pipeline) share_range(*target, reference.pipeline->input());
  EP_TRY(auto folder, trace_folder(request.keep_traces));
  EP_TRY(auto known, new_case(judgement, reference, &target_input));
  known.target_model = &*target;
  known.target_ran_here = true;
  known.exhaustive = request.exhaustive;

  pipeline::RunOptions options;
  options.level = request.level;
  options.most_bytes = request.most_bytes;
  options.dataset = std::filesystem::path(request.data).filename().string();
  if (!request.exhaustive) {
    std::vector<std::uint32_t> numbers(samples.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    options.layer_frames = layer_frames(numbers);
  }
  Recordings recordings(folder.path);
  const RunsOfBoth runs{request.reference, samples, request.data, !request.keep_traces.empty(),
                        options};
  const Status both = record_both(runs, *target, reference, observer, recordings);
  auto judged = [&]() -> Result<diagnose::Verdict> {
    if (!both) return both.error();
    known.target = &*recordings.target;
    known.reference = &*recordings.reference;
    known.raw = &recordings.raw;
    return diagnose::diagnose(known, observer.control("diagnose"));
  }();
  if (!judged)
    judged = recordings.cut_short(known, {folder.without_advice(std::move(judged.error())),
                                          static_cast<bool>(both), samples.size()});
  if (!judged) return std::move(judged.error());
  diagnose::Verdict verdict = *std::move(judged);
  // Of a check that ended early, the layers may be those of the first frames.
  const diagnose::Coverage& covered = verdict.coverage;
  verdict.coverage.layers_sampled = both && options.layer_frames &&
                                    covered.frames_with_layers > 0 &&
                                    covered.frames_with_layers < covered.frames_compared;
  describe_pipeline(verdict.provenance, "target", *target);
  if (target->default_recipe)
    verdict.warnings.push_back(
        "no --recipe was given: the deployment is taken to use the model's default, " +
        preprocess::to_text(target->recipe));
  if (const std::string doubt = cut_off_doubt(target->recipe, target->input()); !doubt.empty())
    verdict.warnings.insert(verdict.warnings.begin(), "deployment: " + doubt);
  add_file_findings(*target, verdict);
  add_reference(reference, verdict);
  if (both) add_shortfalls(*recordings.target, *recordings.reference, verdict);
  const pipeline::RunSummary& ran = recordings.ran;
  verdict.warnings.insert(verdict.warnings.end(), ran.warnings.begin(), ran.warnings.end());
  if (!recordings.told.empty()) verdict.warnings.push_back(recordings.told);
  if (!background.empty()) verdict.warnings.push_back(background);
  if (std::string why = unscored(samples, verdict); !why.empty())
    verdict.warnings.push_back(std::move(why));
  if (!ran.unreadable.empty())
    verdict.warnings.push_back(std::to_string(ran.unreadable.size()) + " of " +
                               std::to_string(request.samples.size()) +
                               " samples could not be read and were left out");
  return verdict;
}

}  // namespace edgeprobe::check
