// SPDX-License-Identifier: Apache-2.0
#include "pipeline/in_step.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/text.h"
#include "engine/kinds.h"
#include "engine/on_behalf.h"
#include "model/state.h"
#include "pipeline/carry.h"
#include "pipeline/same_computation.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {
namespace {

bool is_alone(const Pipeline& pipeline) {
  const engine::EngineKind* const kind = engine::find_kind(pipeline.spec.engine.kind);
  return pipeline.function || pipeline.tokenizer || pipeline.spec.function ||
         keeps_state(pipeline) || !pipeline.states.empty() || !pipeline.refused.empty() ||
         !pipeline.spec.engine.address.empty() || (kind && kind->planned) ||
         std::any_of(pipeline.open_inputs.begin(), pipeline.open_inputs.end(),
                     [](const TensorSpec& input) { return !element_count(input.shape); });
}

bool are_alike(const TensorSpec& a, const TensorSpec& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         a.quantization == b.quantization;
}

bool are_alike(const std::vector<TensorSpec>& a, const std::vector<TensorSpec>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TensorSpec& x, const TensorSpec& y) { return are_alike(x, y); });
}

std::string steps_text(const preprocess::Recipe& recipe) {
  return preprocess::to_text(preprocess::Recipe{recipe.steps, ""});
}

bool gives_back_rate(double rate) {
  return rate == 0 || std::strtod(number(rate, 12).c_str(), nullptr) == rate;
}

/// True if a trace gives this raw input back as it is (inputs/raw_channel.h).
struct GivesBack {
  bool operator()(const dataset::Picture& picture) const {
    return !picture.encoded.empty() || picture.image.channels == 1 || picture.image.channels == 3;
  }
  bool operator()(const dataset::Sound& sound) const { return gives_back_rate(sound.clip.rate); }
  bool operator()(const dataset::Readings& readings) const {
    return gives_back_rate(readings.series.rate);
  }
  bool operator()(const dataset::Text&) const { return false; }
  bool operator()(const dataset::Arrays&) const { return false; }
};

}  // namespace

bool may_run_in_step(const Pipeline& first, const Pipeline& second) {
  return !is_alone(first) && !is_alone(second);
}

bool has_cpus_for_both(const Pipeline& first, const Pipeline& second) {
  const engine::SessionOptions &a = first.spec.session, &b = second.spec.session;
  cpu_set_t own;
  if (!a.cpus.empty() || !b.cpus.empty() || ::sched_getaffinity(0, sizeof own, &own) != 0)
    return false;
  return a.threads + b.threads <= CPU_COUNT(&own);
}

bool prepare_alike(const Pipeline& first, const Pipeline& second) {
  return may_run_in_step(first, second) && first.made_input == second.made_input &&
         (!first.made_input || steps_text(first.recipe) == steps_text(second.recipe)) &&
         are_alike(first.session->inputs(), second.session->inputs()) &&
         are_alike(first.open_inputs, second.open_inputs);
}

bool compute_alike(const Pipeline& first, const Pipeline& second) {
  return prepare_alike(first, second) && are_same_computation(first, second) &&
         preprocess::to_text(first.recipe) == preprocess::to_text(second.recipe);
}

std::vector<dataset::Sample> as_replayed(const std::vector<dataset::Sample>& samples) {
  std::vector<dataset::Sample> replayed = samples;
  for (dataset::Sample& sample : replayed)
    if (auto known = task::recorded(task::annotated(trace::FrameRecord{}, sample.annotation)))
      sample.annotation = std::move(known);
  return replayed;
}

InStep::InStep(const std::vector<dataset::Sample>& samples, Pipeline& first, const Pipeline& second,
               const std::atomic<bool>* stop)
    : TwoRuns(samples.size(), has_cpus_for_both(first, second), stop),
      samples_(samples),
      maker_(first),
      alike_(prepare_alike(first, second)),
      are_files_(std::all_of(samples.begin(), samples.end(), [](const dataset::Sample& sample) {
        return sample.hash != nullptr;
      })) {}

std::shared_ptr<const void> InStep::read(std::size_t sample) {
  const dataset::Sample& wanted = samples_[sample];
  auto loaded = [&] {
    // Only files are independent of each other: a trace has one reader, a plug-in one process.
    std::unique_lock<std::mutex> one(reading_, std::defer_lock);
    if (!are_files_) one.lock();
    return wanted.load();
  }();
  auto shared = std::make_shared<SharedSample>(
      SharedSample{loaded ? Result<std::shared_ptr<const dataset::Loaded>>(
                                std::make_shared<const dataset::Loaded>(*std::move(loaded)))
                          : Result<std::shared_ptr<const dataset::Loaded>>(loaded.error())});
  if (!shared->loaded) return shared;
  const dataset::Loaded& content = **shared->loaded;
  if (wanted.arrays.empty() && (content.sha256.empty() || !std::visit(GivesBack{}, content.input)))
    has_changed_sample_ = true;
  if (alike_) shared->prepared = prepare(maker_, content.input, wanted.name);
  return shared;
}

std::shared_ptr<const SharedSample> InStep::sample(std::size_t sample) {
  return std::static_pointer_cast<const SharedSample>(content(sample));
}

void InStep::run(const std::function<bool()>& first, const std::function<bool()>& second) {
  const auto for_this_client = [client = engine::OnBehalf::current()](const auto& work) {
    return [&work, client] {
      const engine::OnBehalf same(client);
      return work();
    };
  };
  TwoRuns::run(for_this_client(first), for_this_client(second));
}

}  // namespace edgeprobe::pipeline
