// SPDX-License-Identifier: Apache-2.0
#include "contract/mutate/mutate.h"

#include <algorithm>
#include <set>

#include "compare/compare_traces.h"
#include "contract/check.h"
#include "core/text.h"
#include "model/graph.h"
#include "pipeline/inputs/raw_inputs.h"
#include "trace/read/answers.h"

namespace edgeprobe::contract {
namespace {

/// A run with its judgement by the contract. Its parts point at each other, so it must not be
/// moved.
struct Run {
  std::optional<trace::Reader> trace;
  pipeline::TraceSamples raw;
  Report report;
};

bool depends_on_the_machine(const std::string& id) {
  return id.rfind("latency_ms", 0) == 0 || id.rfind("memory_mb", 0) == 0;
}

// Records into `path`, and judges like a CI that does not know about the fault.
Status judge(pipeline::Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
             const Contract& contract, const MutationOptions& options,
             const std::filesystem::path& path, Run& out, const Control& control) {
  pipeline::RunOptions run = options.run;
  run.replace = true;
  EP_TRY(const auto ran, pipeline::run(pipeline, samples, path, run, Control{control.stop, {}}));
  if (ran.interrupted) return interrupted();
  EP_TRY(out.trace, trace::Reader::open(path));
  EP_TRY(out.raw, pipeline::raw_inputs(*out.trace, {}));
  Subject subject;
  subject.trace = &*out.trace;
  subject.raw = &out.raw;
  subject.reference = options.reference;
  subject.terms = options.terms;
  subject.metric = options.metric;
  subject.tokenizer = pipeline.tokenizer.get();
  EP_TRY(auto evidence,
         measure(subject, contract.recipe, states_of(contract), needs_layers(contract), control));
  evidence.figures.declared.erase("recipe");  // An app with a fault does not declare it.
  out.report = check(contract, evidence);
  if (!options.more) return {};
  EP_TRY(auto more, options.more(path));
  for (Finding& one : more) out.report.findings.push_back(std::move(one));
  return {};
}

std::set<std::string> ids_of(const Report& report, State state) {
  std::set<std::string> ids;
  for (const Finding& one : report.findings)
    if (one.state == state && !depends_on_the_machine(one.id)) ids.insert(one.id);
  return ids;
}

// Number of frames whose first class or recorded answer changed.
std::uint64_t answers_changed(const compare::Agreement& agreement) {
  std::uint64_t classes = 0;
  if (agreement.task)
    for (const compare::FrameAgreement& frame : agreement.frames)
      if (frame.reference_answer && frame.target_answer &&
          agreement.task->task->agreement(*frame.reference_answer, *frame.target_answer) < 1)
        ++classes;
  const std::uint64_t recorded =
      agreement.answers ? agreement.answers->compared - agreement.answers->equal : 0;
  return std::max(classes, recorded);
}

// Number of frames whose recorded answer is not identical: with equal outputs, any difference comes
// from post-processing.
Result<std::uint64_t> answers_unlike(const Run& healthy, const Run& mutated) {
  std::uint64_t unlike = 0;
  for (const std::uint32_t frame : healthy.trace->frames()) {
    EP_TRY(const auto before, trace::answer_of(*healthy.trace, frame));
    EP_TRY(const auto after, trace::answer_of(*mutated.trace, frame));
    unlike += before != after;
  }
  return unlike;
}

bool is_quantized(const pipeline::Pipeline& pipeline) {
  const auto in_codes = [](const TensorSpec& spec) { return !spec.quantization.empty(); };
  const auto& inputs = pipeline.session->inputs();
  const auto& outputs = pipeline.session->outputs();
  return std::any_of(inputs.begin(), inputs.end(), in_codes) ||
         std::any_of(outputs.begin(), outputs.end(), in_codes);
}

Status compare_with(const Run& healthy, const Run& mutated, double floor, bool is_behind,
                    Mutant& mutant, const Control& control) {
  compare::CompareOptions options;
  options.channels = false;
  EP_TRY(const auto agreement, compare::compare_traces(*healthy.trace, *mutated.trace, options,
                                                       Control{control.stop, {}}));
  mutant.frames = agreement.frames.size();
  mutant.distance = agreement.output_distance;
  mutant.answers_changed = answers_changed(agreement);
  if (is_behind) {
    EP_TRY(mutant.answers_changed, answers_unlike(healthy, mutated));
  }
  const bool beyond = mutant.distance.value_or(0) > floor || mutant.answers_changed > 0;
  mutant.effect = beyond ? Effect::kMatters : agreement.exact ? Effect::kNone : Effect::kHarmless;
  return {};
}

}  // namespace

const char* name(Effect effect) {
  switch (effect) {
    case Effect::kNone: return "none";
    case Effect::kHarmless: return "harmless";
    case Effect::kMatters: break;
  }
  return "matters";
}

std::size_t MutationReport::count(Effect effect) const {
  return static_cast<std::size_t>(std::count_if(
      mutants.begin(), mutants.end(),
      [&](const Mutant& one) { return one.failure.empty() && one.effect == effect; }));
}

std::size_t MutationReport::caught(Effect effect) const {
  return static_cast<std::size_t>(
      std::count_if(mutants.begin(), mutants.end(), [&](const Mutant& one) {
        return one.failure.empty() && one.effect == effect && !one.caught_by.empty();
      }));
}

Result<MutationReport> mutate(pipeline::Pipeline& pipeline,
                              const std::vector<dataset::Sample>& samples, const Contract& contract,
                              const MutationOptions& options, const Control& control) {
  if (samples.empty())
    return Error{ErrorKind::kUsage, "there is no sample to run; give some with --data"};
  EP_TRY(auto planted, catalogue(pipeline, samples));
  if (planted.faults.empty())
    return Error{ErrorKind::kUsage,
                 "--mutate plants faults into a recipe and into carried states; this pipeline has "
                 "neither: give --recipe, or --state"};
  MutationReport report;
  report.unplanted = std::move(planted.unplanted);
  report.frames = samples.size();
  report.floor = compare::output_floor(is_quantized(pipeline), samples.size());
  Run healthy;
  EP_CHECK(judge(pipeline, samples, contract, options, options.folder / "healthy.mcap", healthy,
                 control));
  const std::set<std::string> before = ids_of(healthy.report, State::kFails),
                              undecided = ids_of(healthy.report, State::kCannotTell);
  for (const Finding& one : healthy.report.findings)
    if (before.count(one.id) > 0) report.broken.push_back(one);
  if (!report.broken.empty()) return report;
  const std::vector<Mutation>& faults = planted.faults;
  const preprocess::Recipe right = pipeline.recipe;
  const std::vector<pipeline::StatePlace> states = pipeline.states;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Mutation& fault = faults[i];
    Mutant mutant;
    mutant.kind = fault.kind;
    mutant.what = fault.what;
    mutant.recipe = preprocess::to_text(fault.recipe);
    pipeline.recipe = fault.recipe;
    pipeline.states = fault.states.value_or(states);
    Run mutated;
    auto done = judge(pipeline, samples, contract, options, options.folder / "mutated.mcap",
                      mutated, control);
    if (done)
      done = compare_with(healthy, mutated, report.floor, fault.recipe.post != right.post, mutant,
                          control);
    pipeline.recipe = right;
    pipeline.states = states;
    if (!done && done.error().kind == ErrorKind::kInterrupted) return std::move(done.error());
    if (!done) mutant.failure = done.error().what;
    else
      for (const std::string& id : ids_of(mutated.report, State::kFails))
        if (undecided.count(id) == 0) mutant.caught_by.push_back(id);
    report.mutants.push_back(std::move(mutant));
    if (control.progress) control.progress(i + 1, faults.size(), "faults");
  }
  return report;
}

}  // namespace edgeprobe::contract
