// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_traces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compare/align/layout.h"
#include "compare/align/names.h"
#include "compare/metrics/metrics.h"
#include "compare/metrics/sampled.h"
#include "compare/outputs/answers.h"
#include "compare/outputs/join.h"
#include "compare/outputs/recorded_answers.h"
#include "compare/outputs/swapped.h"
#include "core/text.h"
#include "task/recorded.h"

namespace edgeprobe::compare {
namespace {

constexpr std::int64_t kMostChannels = 8192;
constexpr std::size_t kMostProblems = 20;

using trace::Stage;

// One tensor that both sides record, and what was added up so far.
struct Track {
  const trace::ReadChannel* reference;
  const trace::ReadChannel* target;
  std::vector<int> permutation;
  int axis = -1;  ///< Of the channels; -1: totals only.
  LayerAgreement result;
  std::vector<double> channel_sq_d;
  bool broken = false;  ///< A problem was reported; skip the rest.
};

bool compared(Stage stage) { return trace::of_model(stage) || stage == Stage::kIntermediate; }

int stage_rank(Stage stage) {
  switch (stage) {
    case Stage::kRawInput: return 0;
    case Stage::kIntermediate: return 1;
    case Stage::kModelInput: return 2;
    case Stage::kLayer: return 3;
    case Stage::kModelOutput: return 4;
    default: return 5;  // Not compared.
  }
}

std::vector<const trace::ReadChannel*> compared_channels(const trace::Reader& reader,
                                                         bool outputs_only) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (compared(channel.channel.stage) && channel.messages > 0 &&
        (!outputs_only || channel.channel.stage == Stage::kModelOutput))
      channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(), [](const auto* a, const auto* b) {
    const int x = stage_rank(a->channel.stage), y = stage_rank(b->channel.stage);
    return x != y ? x < y : a->channel.position < b->channel.position;
  });
  return channels;
}

std::vector<Item> items(const std::vector<const trace::ReadChannel*>& channels) {
  std::vector<trace::Channel> plain;
  for (const trace::ReadChannel* channel : channels) plain.push_back(channel->channel);
  return items_of(plain);
}

// Tensors by name: a stage of the pre-processing that had several shapes is one.
std::size_t count_names(const std::vector<const trace::ReadChannel*>& channels) {
  std::set<std::string_view> stages;
  std::size_t count = 0;
  for (const trace::ReadChannel* channel : channels)
    if (channel->channel.stage != Stage::kIntermediate ||
        stages.insert(channel->channel.spec.name).second)
      ++count;
  return count;
}

class Comparison {
 public:
  Comparison(const trace::Reader& reference, const trace::Reader& target,
             const CompareOptions& options, const Control& control)
      : reference_(reference),
        target_(target),
        options_(options),
        control_(control),
        answers_(options.top_k) {}

  Result<Agreement> run() {
    Join join = join_frames(reference_.records(), target_.records(), options_.join_by_frame_number);
    out_.joined_by = join.how;
    out_.problems = std::move(join.problems);
    out_.frames_reference = reference_.frames().size();
    out_.frames_target = target_.frames().size();
    pair_tensors(join.frames);
    find_raw();
    for (std::size_t i = 0; i < join.frames.size(); ++i) {
      if (control_.stopped()) {
        out_.interrupted = true;
        break;
      }
      EP_CHECK(add_frame(join.frames[i].first, join.frames[i].second));
      if (control_.progress) control_.progress(i + 1, join.frames.size(), "");
    }
    finish();
    if (!options_.outputs_only) EP_CHECK(add_answers());
    return std::move(out_);
  }

 private:
  void problem(std::string sentence) {
    if (out_.problems.size() < kMostProblems) out_.problems.push_back(std::move(sentence));
  }

  void pair_tensors(const std::vector<std::pair<std::size_t, std::size_t>>& frames) {
    const auto channels_r = compared_channels(reference_, options_.outputs_only),
               channels_t = compared_channels(target_, options_.outputs_only);
    const auto items_r = items(channels_r), items_t = items(channels_t);
    AlignOptions align_options;
    align_options.mapping = options_.mapping;
    std::optional<SampledFrame> first;
    if (!frames.empty())
      first.emplace(reference_, reference_.frames()[frames[0].first], target_,
                    target_.frames()[frames[0].second]);
    if (first)
      align_options.correlation = [&](std::size_t i, std::size_t j,
                                      const std::vector<int>& permutation) {
        return first->correlation(*channels_r[i], *channels_t[j], permutation);
      };
    const Alignment alignment = align(items_r, items_t, align_options, control_);
    out_.coverage = alignment.coverage();
    out_.tensors_reference = count_names(channels_r) - alignment.conversions_reference.size();
    out_.tensors_target = count_names(channels_t) - alignment.conversions_target.size();
    std::set<std::pair<std::string, std::string>> stages;
    for (const AlignedPair& pair : alignment.pairs) {
      const trace::Channel &r = channels_r[pair.reference]->channel,
                           &t = channels_t[pair.target]->channel;
      if (r.stage != Stage::kIntermediate || stages.emplace(r.spec.name, t.spec.name).second)
        ++out_.tensors_matched;
    }
    std::set<std::string> matched_r, matched_t;
    for (const auto& [r, t] : stages) {
      matched_r.insert(r);
      matched_t.insert(t);
    }
    // A stage of which some shapes found a partner is not missing.
    for (const std::size_t i : alignment.unmatched_reference)
      if (channels_r[i]->channel.stage != Stage::kIntermediate ||
          matched_r.insert(items_r[i].name).second)
        out_.unmatched_reference.push_back(items_r[i].name);
    for (const std::size_t j : alignment.unmatched_target)
      if (channels_t[j]->channel.stage != Stage::kIntermediate ||
          matched_t.insert(items_t[j].name).second)
        out_.unmatched_target.push_back(items_t[j].name);
    for (const AlignedGroup& group : alignment.groups) {
      out_.groups.emplace_back();
      for (const std::size_t i : group.reference)
        out_.groups.back().first.push_back(items_r[i].name);
      for (const std::size_t j : group.target) out_.groups.back().second.push_back(items_t[j].name);
    }
    std::set<std::pair<std::string, std::string>> counted;
    for (const AlignedPair& pair : alignment.pairs) {
      const trace::Channel &r = channels_r[pair.reference]->channel,
                           &t = channels_t[pair.target]->channel;
      if (r.stage == Stage::kLayer || r.stage == Stage::kIntermediate) {
        const bool fresh =
            r.stage != Stage::kIntermediate || counted.emplace(r.spec.name, t.spec.name).second;
        out_.layers_paired += fresh;
        if (!options_.layers.empty() && !fits_any(options_.layers, r.stage, r.spec.name) &&
            !fits_any(options_.layers, t.stage, t.spec.name))
          continue;
        out_.layers_chosen += fresh;
      }
      Track track{
          channels_r[pair.reference], channels_t[pair.target], pair.permutation, -1, {}, {}, false};
      if (options_.channels && !r.spec.shape.empty()) {
        const int axis = channel_axis(r.spec.shape, pair.permutation);
        const std::int64_t count = r.spec.shape[static_cast<std::size_t>(axis)];
        if (count > 1 && count <= kMostChannels) track.axis = axis;
      }
      LayerAgreement& layer = track.result;
      layer.stage = r.stage;
      layer.position = r.position;
      layer.name = r.spec.name;
      layer.target_name = t.spec.name;
      layer.type = r.layer_type.empty() ? t.layer_type : r.layer_type;
      layer.shape = r.spec.shape;
      layer.reference_dtype = r.spec.dtype;
      layer.target_dtype = t.spec.dtype;
      layer.how = pair.how;
      layer.transposed = !pair.permutation.empty();
      tracks_.push_back(std::move(track));
    }
    if (first) out_.swapped = swapped_outputs(alignment, channels_r, channels_t, *first);
    std::vector<const TensorSpec*> outputs;
    for (const Track& track : tracks_)
      if (track.result.stage == Stage::kModelOutput)
        outputs.push_back(&track.reference->channel.spec);
    answers_.choose(outputs);
  }

  void find_raw() {
    const auto raw = [](const trace::Reader& reader) {
      std::vector<const trace::ReadChannel*> channels;
      for (const trace::ReadChannel& channel : reader.channels())
        if (channel.channel.stage == Stage::kRawInput) channels.push_back(&channel);
      return channels;
    };
    if (options_.outputs_only) return;
    raw_r_ = raw(reference_);
    raw_t_ = raw(target_);
  }

  struct Raw {
    const std::string* encoding;
    ByteView bytes;
  };
  static std::optional<Raw> raw_input(const trace::Reader& reader, std::uint32_t frame,
                                      const std::vector<const trace::ReadChannel*>& channels) {
    for (const trace::ReadChannel* channel : channels) {
      const auto value = reader.read(frame, channel->id);
      if (value && *value) return Raw{&channel->channel.encoding, (*value)->bytes};
    }
    return std::nullopt;
  }

  Status add_frame(std::size_t i, std::size_t j) {
    const std::uint32_t frame_r = reference_.frames()[i], frame_t = target_.frames()[j];
    FrameAgreement frame;
    frame.reference = frame_r;
    frame.target = frame_t;
    const auto truth_r = truth_of(reference_.records()[i]),
               truth_t = truth_of(target_.records()[j]);
    frame.annotation = truth_r ? truth_r : truth_t;
    unread_.add(frame.annotation);
    if (truth_r && truth_t && *truth_r != *truth_t) ++other_labels_;

    if (!raw_r_.empty() && !raw_t_.empty()) {
      const auto raw_r = raw_input(reference_, frame_r, raw_r_),
                 raw_t = raw_input(target_, frame_t, raw_t_);
      // One picture in two encodings (a file here, BGR pixels there) is not told from two pictures.
      if (raw_r && raw_t && *raw_r->encoding == *raw_t->encoding) {
        ++out_.raw_compared;
        out_.raw_equal += raw_r->bytes.text() == raw_t->bytes.text();
      }
    }
    answers_.begin(frame);
    std::size_t output = 0;
    for (Track& track : tracks_) {
      const bool is_output = track.result.stage == Stage::kModelOutput;
      EP_CHECK(
          add_tensor(track, frame_r, frame_t, is_output ? std::optional(output) : std::nullopt));
      output += is_output;
    }
    answers_.end(out_.frames);
    return {};
  }

  Status add_tensor(Track& track, std::uint32_t frame_r, std::uint32_t frame_t,
                    std::optional<std::size_t> output) {
    if (track.broken) return {};
    const auto r = reference_.read(frame_r, track.reference->id);
    if (!r) return Error(r.error()).during("reference frame " + std::to_string(frame_r));
    const auto t = target_.read(frame_t, track.target->id);
    if (!t) return Error(t.error()).during("target frame " + std::to_string(frame_t));
    if (!*r || !*t) return {};
    Status done;
    Moments now;
    if (track.permutation.empty()) {
      done = add_values(track, **r, **t, now);
    } else {
      const auto moved = transposed(**t, track.permutation);
      done = moved ? add_values(track, **r, *moved, now) : Status(moved.error());
    }
    if (!done) {
      track.broken = true;
      problem("'" + sanitized(track.result.name, 60) +
              "' cannot be compared: " + done.error().what);
      return {};
    }
    LayerAgreement& layer = track.result;
    // What could be compared can be counted.
    if (done = layer.reference_kinds.add(**r); !done) return done;
    if (done = layer.target_kinds.add(**t); !done) return done;
    const double rmse = now.n > 0 ? std::sqrt(now.sum_sq_d / static_cast<double>(now.n)) : 0;
    if (layer.frames == 0 || rmse > layer.worst_frame_rmse) {
      layer.worst_frame = frame_r;
      layer.worst_frame_rmse = rmse;
    }
    ++layer.frames;
    layer.moments.merge(now);
    if (output) answers_.add(*output, **r, **t, now);
    return {};
  }

  Status add_values(Track& track, const TensorView& r, const TensorView& t, Moments& now) {
    return track.axis < 0 ? accumulate(r, t, now)
                          : accumulate(r, t, track.axis, now, track.channel_sq_d);
  }

  std::optional<task::Annotation> truth_of(const trace::FrameRecord& record) const {
    return options_.truths ? options_.truths(record) : task::recorded(record);
  }

  Status add_answers() {
    JoinedFrames frames{&reference_, &target_, {}, {}};
    for (const FrameAgreement& frame : out_.frames) {
      frames.numbers.emplace_back(frame.reference, frame.target);
      frames.truths.push_back(frame.annotation);
    }
    const bool quantized =
        std::any_of(out_.layers.begin(), out_.layers.end(), [](const LayerAgreement& layer) {
          return layer.stage == Stage::kModelOutput &&
                 (is_integer(layer.reference_dtype) || is_integer(layer.target_dtype));
        });
    EP_TRY(out_.answers, compare_answers(frames, options_.terms, quantized));
    if (out_.answers)
      out_.problems.insert(out_.problems.end(), out_.answers->problems.begin(),
                           out_.answers->problems.end());
    return {};
  }

  void finish() {
    bool any = false, all = true;
    for (Track& track : tracks_) {
      LayerAgreement& layer = track.result;
      if (layer.frames == 0) {
        if (!out_.frames.empty() && !track.broken && layer.stage != Stage::kIntermediate)
          problem("'" + sanitized(layer.name, 60) +
                  "' was recorded in no frame that both traces have");
        continue;
      }
      layer.distances = distances(layer.moments);
      any = true;
      all = all && layer.distances.exact && !track.broken;
      if (!track.channel_sq_d.empty() && layer.moments.sum_sq_d > 0) {
        const auto worst = std::max_element(track.channel_sq_d.begin(), track.channel_sq_d.end());
        layer.worst_channel = static_cast<int>(worst - track.channel_sq_d.begin());
        layer.worst_channel_share = *worst / layer.moments.sum_sq_d;
      }
      out_.layers.push_back(std::move(layer));
    }
    merge_stages();
    out_.exact = any && all && std::none_of(tracks_.begin(), tracks_.end(), [](const Track& t) {
                   return t.broken;
                 });
    if (std::string unread = unread_.text(); !unread.empty()) problem(std::move(unread));
    if (other_labels_ > 0)
      problem(std::to_string(other_labels_) +
              " samples have other labels in the two traces; the reference's count");
    answers_.finish(out_);
  }

  // A step in front of the resize has as many shapes as the pictures have sizes: still one stage,
  // one row.
  void merge_stages() {
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    std::vector<LayerAgreement> merged;
    for (LayerAgreement& layer : out_.layers) {
      const bool stage = layer.stage == Stage::kIntermediate;
      if (!stage ||
          places.emplace(std::pair(layer.name, layer.target_name), merged.size()).second) {
        merged.push_back(std::move(layer));
        continue;
      }
      LayerAgreement& whole = merged[places.at({layer.name, layer.target_name})];
      if (layer.worst_frame_rmse > whole.worst_frame_rmse) {
        whole.worst_frame = layer.worst_frame;
        whole.worst_frame_rmse = layer.worst_frame_rmse;
      }
      whole.frames += layer.frames;
      whole.moments.merge(layer.moments);
      whole.reference_kinds.merge(layer.reference_kinds);
      whole.target_kinds.merge(layer.target_kinds);
      whole.distances = distances(whole.moments);
      whole.worst_channel.reset();  // Of one shape alone it would be another thing.
      whole.worst_channel_share.reset();
    }
    out_.layers = std::move(merged);
    for (const LayerAgreement& layer : out_.layers)
      if (layer.stage == Stage::kIntermediate && layer.frames < out_.frames.size())
        problem("stage '" + sanitized(layer.name, 60) + "' was compared in " +
                std::to_string(layer.frames) + " of " + std::to_string(out_.frames.size()) +
                " frames; in the others its shapes are unlike, or one trace lacks it");
  }

  const trace::Reader &reference_, &target_;
  const CompareOptions& options_;
  const Control& control_;
  Agreement out_;
  std::vector<Track> tracks_;
  std::vector<const trace::ReadChannel*> raw_r_, raw_t_;
  Answers answers_;
  std::uint64_t other_labels_ = 0;
  task::UnreadAnnotations unread_;
};

}  // namespace

Result<Agreement> compare_traces(const trace::Reader& reference, const trace::Reader& target,
                                 const CompareOptions& options, const Control& control) {
  return Comparison(reference, target, options, control).run();
}

}  // namespace edgeprobe::compare
