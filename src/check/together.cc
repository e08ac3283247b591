// SPDX-License-Identifier: Apache-2.0
#include "check/together.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "check/recording.h"
#include "pipeline/in_step.h"

namespace edgeprobe::check {
namespace {

namespace fs = std::filesystem;
using pipeline::InStep;

/// One progress of two runs, whose phases have the same order: the frames, then those with layers.
/// A run that is in a later phase has done all of the earlier one.
class JointProgress {
 public:
  JointProgress(Control control, std::size_t first, std::size_t second)
      : control_(std::move(control)), runs_{Run{first}, Run{second}} {}

  /// The progress of one of the runs; refers to this object.
  std::function<void(std::size_t, std::size_t, const std::string&)> of(InStep::Side side) {
    if (!control_.progress) return {};
    return [this, side](std::size_t done, std::size_t all, const std::string& what) {
      show(side, done, all, what);
    };
  }

 private:
  struct Run {
    std::size_t samples = 0;
    std::size_t phase = 0, done = 0, all = samples;
    std::string what = {};
  };

  void show(InStep::Side side, std::size_t done, std::size_t all, const std::string& what) {
    const std::lock_guard lock(mutex_);
    Run& own = runs_[side];
    own.phase += !own.what.empty() && own.what != what;
    own.what = what;
    own.done = done;
    own.all = all;
    const std::size_t phase = std::min(runs_[0].phase, runs_[1].phase);
    std::size_t sum = 0, whole = 0;
    const std::string* shown = &what;
    for (const Run& run : runs_) {
      const bool beyond = run.phase > phase;
      sum += beyond ? run.samples : run.done;
      whole += beyond ? run.samples : run.all;
      if (!beyond && !run.what.empty()) shown = &run.what;
    }
    control_.progress(sum, whole, *shown);
  }

  Control control_;
  std::mutex mutex_;
  std::array<Run, 2> runs_;
};

/// Channels of two traces that hold the same tensor.
using Key = std::tuple<trace::Stage, std::string, std::int32_t, DType, Shape>;
Key key_of(const trace::Channel& channel) {
  return {channel.stage, channel.spec.name, channel.position, channel.spec.dtype,
          channel.spec.shape};
}

std::map<Key, trace::ChannelId> channels_by_key(const trace::Reader& trace) {
  std::map<Key, trace::ChannelId> found;
  for (const trace::ReadChannel& channel : trace.channels())
    found.emplace(key_of(channel.channel), channel.id);
  return found;
}

bool same_bytes(const std::optional<TensorView>& a, const std::optional<TensorView>& b) {
  if (!a || !b) return !a && !b;
  return a->bytes.size == b->bytes.size &&
         (a->bytes.size == 0 || std::memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0);
}

/// True if the other trace holds the same tensors of each of its frames, bit for bit.
Result<bool> holds_the_same(const trace::Reader& target, const trace::Reader& some) {
  const auto ours = channels_by_key(target), theirs = channels_by_key(some);
  std::set<Key> keys;
  for (const auto* const channels : {&ours, &theirs})
    for (const auto& [key, id] : *channels) keys.insert(key);
  const auto read = [](const trace::Reader& trace, const std::map<Key, trace::ChannelId>& channels,
                       std::uint32_t frame, const Key& key) -> Result<std::optional<TensorView>> {
    const auto found = channels.find(key);
    if (found == channels.end()) return std::optional<TensorView>();
    return trace.read(frame, found->second);
  };
  for (const std::uint32_t frame : some.frames())
    for (const Key& key : keys) {
      EP_TRY(const auto a, read(target, ours, frame, key));
      EP_TRY(const auto b, read(some, theirs, frame, key));
      if (!same_bytes(a, b)) return false;
    }
  return true;
}

}  // namespace

bool may_run_together(const Reference& given, const std::vector<dataset::Sample>& samples,
                      const pipeline::Pipeline& target, const OpenReference& reference) {
  if (samples.empty() || !std::holds_alternative<ReferenceModel>(given) || !reference.pipeline ||
      !pipeline::may_run_in_step(target, *reference.pipeline))
    return false;
  const bool are_arrays = !samples.front().arrays.empty();
  // A trace of several inputs is replayed from these, not from its pictures.
  if (!are_arrays && target.session->inputs().size() != 1) return false;
  std::set<std::string_view> names;
  for (const dataset::Sample& sample : samples)
    if (sample.name.empty() || !names.insert(sample.name).second ||
        sample.arrays.empty() == are_arrays ||
        (sample.begins_sequence && &sample != &samples.front()))
      return false;
  return true;
}

Result<Together> record_together(pipeline::Pipeline& target, pipeline::Pipeline& reference,
                                 const std::vector<dataset::Sample>& samples,
                                 const fs::path& folder, const pipeline::RunOptions& options,
                                 const Observer& observer) {
  Together together;
  std::vector<dataset::Sample> replayed = pipeline::as_replayed(samples);
  pipeline::RunOptions others = options;
  if (options.layer_frames && pipeline::compute_alike(target, reference)) {
    together.sampled = true;
    others.frame_numbers = *options.layer_frames;
    std::vector<dataset::Sample> some;
    for (const std::uint32_t frame : others.frame_numbers) some.push_back(replayed[frame]);
    replayed = std::move(some);
  }
  InStep both(samples, target, reference, observer.stop);
  JointProgress progress(observer.control("target and reference"), samples.size(), replayed.size());
  const auto run = [&](InStep::Side side, pipeline::Pipeline& pipeline,
                       const std::vector<dataset::Sample>& given, pipeline::RunOptions chosen) {
    chosen.replace = true;
    const std::string step = side == InStep::kFirst ? "target" : "reference";
    return finished(pipeline::run_in_step(pipeline, given, folder / (step + ".mcap"), chosen,
                                          progress.of(side), {&both, side}),
                    step);
  };
  Result<pipeline::RunSummary> first = interrupted(), second = interrupted();
  both.run(
      [&] {
        first = run(InStep::kFirst, target, samples, options);
        return static_cast<bool>(first);
      },
      [&] {
        second = run(InStep::kSecond, reference, replayed, others);
        // If none of the sampled frames can be read, it has to run all.
        return second || (together.sampled && second.error().kind == ErrorKind::kCorrupt);
      });
  const auto failed = both.failed();
  if (!first && (failed != InStep::kSecond || (observer.stop && *observer.stop)))
    return std::move(first.error());
  if (!second && (failed || !first)) return std::move(second.error());
  together.target = *std::move(first);
  together.complete = second && !both.has_changed_sample();
  if (second) together.reference = *std::move(second);
  together.reference.unreadable.clear();  // They are the target's.
  return together;
}

Result<std::optional<fs::path>> usable_reference(const Together& together,
                                                 const trace::Reader& target,
                                                 const pipeline::TraceSamples& raw,
                                                 const fs::path& folder, std::string& told) {
  std::optional<fs::path> none;
  if (!together.complete || !raw.exchanged.empty() || raw.frames != target.frames()) return none;
  const fs::path path = folder / "reference.mcap";
  EP_TRY(const auto recorded, trace::Reader::open(path));
  if (!together.sampled) return recorded.frames() == target.frames() ? std::optional(path) : none;
  EP_TRY(const bool same, holds_the_same(target, recorded));
  if (!same) return none;
  told =
      "both sides are the same computation (equal files, engines, options and recipes): the "
      "reference ran on " +
      std::to_string(recorded.frames().size()) + " of " + std::to_string(target.frames().size()) +
      " frames and gave the same bits; the other frames were taken from the target "
      "(--exhaustive runs all)";
  return std::optional(folder / "target.mcap");
}

}  // namespace edgeprobe::check
