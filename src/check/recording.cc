// SPDX-License-Identifier: Apache-2.0
#include "check/recording.h"

#include <algorithm>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::check {

Result<pipeline::Pipeline> open_pipeline(const pipeline::PipelineSpec& spec,
                                         const TensorSpec* other, const Observer& observer) {
  auto pipeline = pipeline::open(spec, {observer.stop, {}});
  if (!pipeline) return pipeline;
  if (other) share_range(*pipeline, *other);
  if (pipeline->default_recipe)
    observer.say("no recipe given; using: " + preprocess::to_text(pipeline->recipe));
  return pipeline;
}

void share_range(pipeline::Pipeline& pipeline, const TensorSpec& other) {
  if (!pipeline.default_recipe || !is_float(pipeline.input().dtype)) return;
  const auto range = preprocess::stated_range(other);
  if (!range) return;
  auto recipe = preprocess::default_recipe(pipeline.input(), range);
  if (!recipe) return;
  recipe->post = pipeline.recipe.post;
  pipeline.recipe = *std::move(recipe);
}

Result<pipeline::RunSummary> record(pipeline::Pipeline& pipeline,
                                    const std::vector<dataset::Sample>& samples,
                                    const std::filesystem::path& path, pipeline::RunOptions options,
                                    const std::string& step, const Observer& observer) {
  options.replace = true;
  return finished(pipeline::run(pipeline, samples, path, options, observer.control(step)), step);
}

Result<pipeline::RunSummary> finished(Result<pipeline::RunSummary> summary,
                                      const std::string& step) {
  if (!summary) return std::move(summary.error()).during(step);
  if (summary->interrupted) return Error{ErrorKind::kInterrupted, step + ": stopped by the user"};
  return summary;
}

std::string problems_text(const pipeline::RunSummary& summary) {
  std::string text;
  for (const std::string& warning : summary.warnings) text += "warning: " + warning + "\n";
  if (!summary.unreadable.empty()) {
    text += std::to_string(summary.unreadable.size()) +
            " samples could not be read and were left out:\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(10, summary.unreadable.size()); ++i)
      text += "  " + summary.unreadable[i].why + "\n";
    if (summary.unreadable.size() > 10)
      text +=
          "  … and " + std::to_string(summary.unreadable.size() - 10) + " more (all with --json)\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

void describe_pipeline(std::map<std::string, std::string>& provenance, const std::string& prefix,
                       const pipeline::Pipeline& pipeline) {
  const engine::EngineIdentity& engine = pipeline.engine->identity();
  provenance[prefix + ".model"] = pipeline.spec.model.filename().string();
  provenance[prefix + ".model_sha256"] = pipeline.graph.sha256;
  provenance[prefix + ".engine"] = engine.kind + " " + engine.version;
  provenance[prefix + ".engine_sha256"] = engine.sha256;
  if (const std::string kernels = engine::kernels_used(engine, pipeline.spec.session);
      !kernels.empty())
    provenance[prefix + ".kernels"] = kernels;
  provenance[prefix + ".precision"] = engine::name(pipeline.spec.session.precision);
  if (const auto* const own = std::get_if<engine::OnnxRuntimeOptions>(&pipeline.spec.session.own))
    provenance[prefix + ".optimization"] = engine::name(own->optimization);
  provenance[prefix + ".threads"] = std::to_string(pipeline.spec.session.threads);
}

}  // namespace edgeprobe::check
