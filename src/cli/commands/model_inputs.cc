// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/model_inputs.h"

#include <utility>

#include "core/control.h"
#include "core/text.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/prepare.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 20;

}  // namespace

Result<std::vector<std::vector<Tensor>>> model_inputs(const std::vector<dataset::Sample>& samples,
                                                      pipeline::Pipeline& pipeline,
                                                      Terminal& terminal) {
  std::vector<std::vector<Tensor>> inputs;
  std::size_t bytes = 0;
  for (const dataset::Sample& sample : samples) {
    if (terminal.stopped()) return interrupted();
    const auto loaded = sample.load();
    if (!loaded) {
      terminal.err << "warning: left out: " << loaded.error().what << "\n";
      continue;
    }
    auto prepared = pipeline::prepare(pipeline, loaded->input, sample.name, terminal.control());
    if (!prepared) return std::move(prepared).error();
    for (const Tensor& input : prepared->inputs) bytes += input.bytes.size();
    if (bytes > kMostBytes) {
      terminal.err << "warning: the first " << inputs.size()
                   << " samples are used; the others do not fit in "
                   << bytes_text(static_cast<double>(kMostBytes)) << "\n";
      break;
    }
    inputs.push_back(std::move(prepared->inputs));
  }
  if (inputs.empty()) return Error{ErrorKind::kNotFound, "--data holds no sample that can be used"};
  return inputs;
}

Result<std::vector<Tensor>> frame_inputs(const pipeline::PipelineSpec& spec,
                                         const dataset::Sample& sample,
                                         const std::vector<TensorSpec>& specs) {
  auto loaded = sample.load();
  if (!loaded) return std::move(loaded.error());
  if (const auto* recorded = std::get_if<dataset::Arrays>(&loaded->input)) {
    auto inputs = pipeline::inputs_of(*recorded, spec, specs);
    if (!inputs) return std::move(inputs.error()).during("'" + sanitized(sample.name) + "'");
    return inputs;
  }
  if (specs.size() != 1)
    return Error{ErrorKind::kUnsupported,
                 "it has " + std::to_string(specs.size()) +
                     " inputs; a recipe makes exactly one of a picture (give all of them with "
                     "--data FILE.npz, or leave out --data)"};
  auto recipe = spec.recipe ? Result<preprocess::Recipe>(*spec.recipe)
                            : preprocess::default_recipe(specs.front());
  if (!recipe) return std::move(recipe.error());
  auto input = pipeline::model_input(*recipe, loaded->input, specs.front());
  if (!input) return std::move(input.error()).during("'" + sanitized(sample.name) + "'");
  std::vector<Tensor> inputs;
  inputs.push_back(*std::move(input));
  return inputs;
}

std::vector<dataset::Sample> usual_samples(std::vector<dataset::Sample> samples, std::size_t usual,
                                           Terminal& terminal) {
  if (samples.size() <= usual) return samples;
  std::vector<dataset::Sample> some;
  for (std::size_t i = 0; i < usual; ++i) some.push_back(samples[i * samples.size() / usual]);
  terminal.err << "using " << usual << " of " << samples.size()
               << " pictures, evenly spread (--frames takes another number)\n";
  return some;
}

}  // namespace edgeprobe::cli
