// SPDX-License-Identifier: Apache-2.0
#include "pipeline/in_step.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
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

using namespace std::chrono_literals;

/// How often the user's stop is looked for.
constexpr auto kLook = 20ms;

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
    : samples_(samples),
      maker_(first),
      stop_(stop),
      alike_(prepare_alike(first, second)),
      has_cpus_for_both_(pipeline::has_cpus_for_both(first, second)),
      are_files_(std::all_of(samples.begin(), samples.end(), [](const dataset::Sample& sample) {
        return sample.hash != nullptr;
      })) {}

bool InStep::must_end(Side side, std::size_t sample) const {
  const auto& failed = failed_at_[side == kFirst ? kSecond : kFirst];
  // The first side runs the other's sample too: its error would count.
  return (stop_ && stop_->load(std::memory_order_relaxed)) ||
         (failed && (side == kFirst ? *failed < sample : *failed <= sample));
}

bool InStep::begin(Side side, std::size_t sample) {
  const Side other = side == kFirst ? kSecond : kFirst;
  std::unique_lock lock(mutex_);
  at_[side] = sample;
  drop_passed();
  changed_.notify_all();
  while (!must_end(side, sample) && !gone_[other] && at_[other] != kOver &&
         at_[other] + kAhead <= sample)
    changed_.wait_for(lock, kLook);
  if (!must_end(side, sample)) return true;
  ended_[side] = true;
  return false;
}

void InStep::drop_passed() {
  std::size_t least = kOver;
  for (const Side side : {kFirst, kSecond})
    if (!gone_[side]) least = std::min(least, at_[side]);
  slots_.erase(slots_.begin(), slots_.lower_bound(least));
}

std::shared_ptr<const SharedSample> InStep::read(std::size_t sample) {
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

void InStep::read(std::size_t sample, std::unique_lock<std::mutex>& lock) {
  slots_.emplace(sample, Slot{});
  lock.unlock();
  std::shared_ptr<const SharedSample> shared;
  try {
    shared = read(sample);
  } catch (...) {  // Out of memory: the other run must not wait for it.
    lock.lock();
    slots_.erase(sample);
    changed_.notify_all();
    throw;
  }
  lock.lock();
  if (const auto slot = slots_.find(sample); slot != slots_.end())
    slot->second = {State::kRead, std::move(shared)};
  changed_.notify_all();
}

std::shared_ptr<const SharedSample> InStep::sample(std::size_t sample) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto slot = slots_.find(sample);
    if (slot == slots_.end()) {
      read(sample, lock);
      continue;
    }
    if (slot->second.state == State::kRead) return slot->second.sample;
    // The other run reads it: reads the next one meanwhile, so that neither waits later.
    std::size_t next = sample + 1;
    while (next < sample + kAhead && slots_.count(next)) ++next;
    if (has_cpus_for_both_ && next < std::min(sample + kAhead, samples_.size())) read(next, lock);
    else changed_.wait(lock);
  }
}

std::unique_lock<std::mutex> InStep::turn() {
  return has_cpus_for_both_ ? std::unique_lock<std::mutex>()
                            : std::unique_lock<std::mutex>(inferring_);
}

void InStep::pass_is_over(Side side) {
  const std::lock_guard lock(mutex_);
  at_[side] = kOver;
  drop_passed();
  changed_.notify_all();
}

void InStep::ends(Side side, bool failed) {
  const Side other = side == kFirst ? kSecond : kFirst;
  const std::lock_guard lock(mutex_);
  gone_[side] = true;
  if (failed) {
    failed_at_[side] = at_[side];
    // Beyond that sample nothing that the other run finds counts. In the passes after the first,
    // which have no common order, an error of the first side counts.
    if (at_[side] < at_[other] || (at_[side] == at_[other] && side == kFirst)) ended_[other] = true;
  }
  drop_passed();
  changed_.notify_all();
}

void InStep::run(const std::function<bool()>& first, const std::function<bool()>& second) {
  const auto ran = [this](Side side, const std::function<bool()>& work) {
    bool failed = true;
    const std::shared_ptr<void> end(nullptr, [&](void*) { ends(side, failed); });
    failed = !work();
  };
  const auto started = [&](Side side, const std::function<bool()>& work) {
    return std::async(std::launch::async, [&, side, client = engine::OnBehalf::current()] {
      const engine::OnBehalf same(client);
      ran(side, work);
    });
  };
  auto one = started(kFirst, first), other = started(kSecond, second);
  for (const auto* const work : {&one, &other})
    while (work->wait_for(kLook) != std::future_status::ready)
      if (stop_ && stop_->load(std::memory_order_relaxed)) ended_[kFirst] = ended_[kSecond] = true;
  one.get();
  other.get();
}

std::optional<InStep::Side> InStep::failed() const {
  const std::lock_guard lock(mutex_);
  const auto &first = failed_at_[kFirst], &second = failed_at_[kSecond];
  if (!second) return first ? std::optional(kFirst) : std::nullopt;
  return first && !ended_[kFirst] && *first <= *second ? kFirst : kSecond;
}

}  // namespace edgeprobe::pipeline
