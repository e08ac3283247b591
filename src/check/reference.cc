// SPDX-License-Identifier: Apache-2.0
#include "check/reference.h"

#include "check/cut_off.h"
#include "check/recording.h"
#include "compare/golden/golden.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "pipeline/run_function.h"

namespace edgeprobe::check {
namespace {

namespace fs = std::filesystem;

Status open_model(OpenReference& open, const pipeline::PipelineSpec& spec, const TensorSpec* target,
                  const Observer& observer) {
  auto opened = open_pipeline(spec, target, observer);
  if (!opened) return std::move(opened.error()).during("reference");
  open.pipeline.emplace(*std::move(opened));
  describe_pipeline(open.provenance, "reference", *open.pipeline);
  if (open.pipeline->default_recipe)
    open.warnings.push_back(
        "no --reference-recipe was given: the reference is taken to use its model's default, " +
        preprocess::to_text(open.pipeline->recipe));
  if (const std::string doubt = cut_off_doubt(open.pipeline->recipe, open.pipeline->input());
      !doubt.empty())
    open.warnings.push_back("reference: " + doubt);
  if (open.pipeline->has_recipe())
    open.provenance["reference.recipe"] = preprocess::to_text(open.pipeline->recipe);
  return {};
}

// Opens the model that made a recorded reference. Its trace holds the model inputs, so a model
// without a usual recipe needs none.
Status open_recorder(OpenReference& open, const pipeline::PipelineSpec& spec,
                     const TensorSpec* target, const Observer& observer) {
  auto opened = open_model(open, spec, target, observer);
  const bool says_front = (spec.recipe && !spec.recipe->steps.empty()) || spec.function ||
                          spec.tokenizer || !spec.arrays.empty();
  if (opened || opened.error().kind != ErrorKind::kUsage || says_front) return opened;
  EP_TRY(const auto recorded, trace::Reader::open(open.trace));
  pipeline::PipelineSpec as_recorded = spec;
  if (!recorded.frames().empty())
    as_recorded.arrays = pipeline::RecordedInputs(recorded).specs(recorded.frames().front());
  if (as_recorded.arrays.empty()) return opened;
  return open_model(open, as_recorded, target, observer);
}

Status open_function(OpenReference& open, const pipeline::FunctionSpec& spec,
                     const Observer& observer) {
  auto started = pipeline::UserFunction::start(spec, {observer.stop, {}});
  if (!started) return std::move(started.error()).during("reference");
  open.function = *std::move(started);
  return {};
}

void describe_function(OpenReference& open) {
  const pipeline::UserFunction* function =
      open.pipeline ? open.pipeline->function.get() : open.function.get();
  if (!function) return;
  open.provenance["reference.pipeline"] = function->label();
  open.provenance["reference.pipeline_sha256"] = function->sha256();
  open.provenance["reference.python"] = function->environment();
}

Result<fs::path> golden_trace(OpenReference& reference, const trace::Reader& target,
                              const fs::path& path) {
  EP_TRY(auto report, compare::golden_trace(reference.golden, target, path));
  reference.provenance["reference.golden"] = reference.golden.filename().string();
  reference.provenance["reference.golden_sha256"] = report.sha256;
  reference.provenance["reference.golden_layout"] = report.layout;
  reference.warnings = report.warnings;
  reference.warnings.push_back(
      "golden outputs contain no model input and no layers: those were not compared");
  return path;
}

}  // namespace

Result<OpenReference> open_reference(const Reference& reference, const TensorSpec* target,
                                     const Observer& observer) {
  OpenReference open;
  Status done;
  if (const auto* model = std::get_if<ReferenceModel>(&reference))
    done = open_model(open, model->spec, target, observer);
  if (const auto* function = std::get_if<ReferenceFunction>(&reference))
    done = open_function(open, function->spec, observer);
  if (const auto* golden = std::get_if<GoldenOutputs>(&reference)) open.golden = golden->file;
  if (const auto* recorded = std::get_if<RecordedReference>(&reference)) {
    open.trace = recorded->trace;
    if (recorded->made_by) done = open_recorder(open, *recorded->made_by, target, observer);
  }
  if (!done) return std::move(done.error());
  describe_function(open);
  return open;
}

Result<fs::path> reference_trace(OpenReference& reference, const trace::Reader& target,
                                 const pipeline::TraceSamples& raw, const std::string& data,
                                 const fs::path& path, pipeline::RunOptions options,
                                 const Observer& observer) {
  if (!reference.trace.empty()) return reference.trace;
  if (!reference.golden.empty()) return golden_trace(reference, target, path);
  if (raw.samples.empty()) return no_pictures(target, raw, data);
  options.frame_numbers = raw.frames;
  Result<pipeline::RunSummary> summary = [&]() -> Result<pipeline::RunSummary> {
    if (reference.pipeline)
      return record(*reference.pipeline, raw.samples, path, options, "reference", observer);
    options.replace = true;
    auto ran = pipeline::run_function(*reference.function, raw.samples, path, options,
                                      observer.control("reference"));
    if (!ran) return std::move(ran.error()).during("reference");
    if (ran->interrupted) return Error{ErrorKind::kInterrupted, "reference: stopped by the user"};
    return ran;
  }();
  if (!summary) return std::move(summary.error());
  if (const std::string problems = problems_text(*summary); !problems.empty())
    observer.say(problems);
  return path;
}

}  // namespace edgeprobe::check
