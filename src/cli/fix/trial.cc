// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/trial.h"

#include "check/check.h"
#include "cli/convert/converter.h"
#include "core/evenly_spaced.h"

namespace edgeprobe::cli {
namespace {

// A trial that ended early decides nothing.
Result<diagnose::Verdict> complete(Result<diagnose::Verdict> verdict) {
  if (verdict && verdict->coverage.cut_short) return std::move(verdict->coverage.cut_short->error);
  return verdict;
}

}  // namespace

const pipeline::PipelineSpec* reference_spec(const check::Reference& reference) {
  if (const auto* model = std::get_if<check::ReferenceModel>(&reference)) return &model->spec;
  if (const auto* recorded = std::get_if<check::RecordedReference>(&reference))
    return recorded->made_by ? &*recorded->made_by : nullptr;
  return nullptr;
}

Result<diagnose::Verdict> try_model(const Judged& judged, const std::filesystem::path& model,
                                    const std::string& recipe, bool layers, std::size_t most,
                                    Terminal& terminal) {
  const pipeline::PipelineSpec& reference = *reference_spec(*judged.reference);
  check::CheckRequest request;
  request.target = judged.target ? *judged.target : reference;
  request.target.model = model;
  request.target.function.reset();
  model::FileBytes file;
  EP_TRY(const auto graph, model::load(model, file));
  EP_TRY(request.target.recipe, preprocess::parse_recipe(recipe_for(recipe, graph)));
  request.reference = check::ReferenceModel{reference};
  for (const std::size_t i : evenly_spaced(judged.samples.size(), most))
    request.samples.push_back(judged.samples[i]);
  request.data = judged.data;
  request.level = layers ? pipeline::Level::kLayers : pipeline::Level::kIo;
  request.judgement = judged.judgement;
  check::Observer observer;
  observer.stop = terminal.stop;
  return complete(check::check(request, observer));
}

Result<diagnose::Verdict> try_target(const Judged& judged, Terminal& terminal) {
  check::CheckRequest request;
  request.target = *judged.target;
  request.reference = check::ReferenceModel{*reference_spec(*judged.reference)};
  request.samples = judged.samples;
  request.data = judged.data;
  request.level = pipeline::Level::kIo;
  request.judgement = judged.judgement;
  check::Observer observer;
  observer.stop = terminal.stop;
  return complete(check::check(request, observer));
}

}  // namespace edgeprobe::cli
