// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_traces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compare/align/layout.h"
#include "compare/align/names.h"
#include "compare/decision.h"
#include "compare/metrics/metrics.h"
#include "compare/metrics/sampled.h"
#include "compare/outputs/answers.h"
#include "compare/outputs/join.h"
#include "compare/outputs/recorded_answers.h"
#include "compare/outputs/swapped.h"
#include "compare/recorded_tensor.h"
#include "compare/recording.h"
#include "core/text.h"
#include "task/recorded.h"

namespace edgeprobe::compare {
namespace {

constexpr std::int64_t kMostChannels = 8192;
constexpr std::size_t kMostProblems = 20;

using trace::Stage;

// A tensor recorded on both sides, with its sums so far.
struct Track {
  RecordedTensor reference, target;
  std::vector<int> permutation;
  int axis = -1;  ///< Channel axis; -1: totals only.
  LayerAgreement result;
  std::vector<double> channel_sq_d;
  bool broken = false;  ///< A problem was reported; skip the rest.
  bool varies = false;  ///< Its shape may differ between frames or sides.
};

std::vector<Item> items(const std::vector<RecordedTensor>& tensors) {
  std::vector<trace::Channel> plain;
  for (const RecordedTensor& tensor : tensors) plain.push_back(tensor.channel());
  return items_of(plain);
}

// The channels used to match and print the tensors.
std::vector<const trace::ReadChannel*> first_channels(const std::vector<RecordedTensor>& tensors) {
  std::vector<const trace::ReadChannel*> channels;
  for (const RecordedTensor& tensor : tensors) channels.push_back(tensor.channels.front());
  return channels;
}

bool is_open(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim < 0; });
}

// Within one model, a tensor with a data-dependent shape may differ between the sides.
void open_shapes(const std::vector<RecordedTensor>& tensors_r, std::vector<Item>& items_r,
                 const std::vector<RecordedTensor>& tensors_t, std::vector<Item>& items_t) {
  std::map<std::pair<Stage, std::string_view>, std::vector<std::size_t>> named;
  for (std::size_t j = 0; j < items_t.size(); ++j)
    named[{items_t[j].stage, items_t[j].name}].push_back(j);
  for (std::size_t i = 0; i < items_r.size(); ++i) {
    const auto at = named.find({items_r[i].stage, items_r[i].name});
    if (at == named.end() || items_r[i].stage == Stage::kIntermediate) continue;
    for (const std::size_t j : at->second) {
      if (!is_one_tensor(tensors_r[i], tensors_t[j])) continue;
      Shape &r = items_r[i].shape, &t = items_t[j].shape;
      for (std::size_t d = 0; d < r.size(); ++d)
        if (r[d] != t[d]) r[d] = t[d] = -1;
    }
  }
}

// Converts pairs of names to pairs of items; skips ambiguous names.
std::vector<std::pair<std::size_t, std::size_t>> places(
    const std::vector<std::pair<std::string, std::string>>& pairs, const std::vector<Item>& items_r,
    const std::vector<Item>& items_t) {
  const auto by_name = [](const std::vector<Item>& all) {
    std::map<std::string_view, std::optional<std::size_t>> named;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto [place, fresh] = named.emplace(all[i].name, i);
      if (!fresh) place->second.reset();
    }
    return named;
  };
  const auto named_r = by_name(items_r), named_t = by_name(items_t);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const auto& [from, to] : pairs) {
    const auto r = named_r.find(from), t = named_t.find(to);
    if (r != named_r.end() && t != named_t.end() && r->second && t->second)
      found.emplace_back(*r->second, *t->second);
  }
  return found;
}

// Number of tensors by name: a pre-processing stage with several shapes counts once.
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

  /// By the names of the models' files, if both traces state them.
  std::optional<bool> two_formats() const {
    const auto extension = [](const trace::Reader& trace) {
      const std::filesystem::path model = trace.declared("model").value_or("");
      return model.extension().string();
    };
    const std::string r = extension(reference_), t = extension(target_);
    if (r.empty() || t.empty()) return std::nullopt;
    return r != t;
  }

  void pair_tensors(const std::vector<std::pair<std::size_t, std::size_t>>& frames) {
    std::optional<std::uint32_t> first_r, first_t;
    if (!frames.empty()) {
      first_r = reference_.frames()[frames[0].first];
      first_t = target_.frames()[frames[0].second];
    }
    const auto tensors_r = recorded_tensors(reference_, options_.outputs_only, first_r),
               tensors_t = recorded_tensors(target_, options_.outputs_only, first_t);
    const auto channels_r = first_channels(tensors_r), channels_t = first_channels(tensors_t);
    auto items_r = items(tensors_r), items_t = items(tensors_t);
    if (is_one_model()) open_shapes(tensors_r, items_r, tensors_t, items_t);
    AlignOptions align_options;
    align_options.mapping = options_.mapping;
    align_options.by_graph = places(options_.by_graph, items_r, items_t);
    align_options.graph_before_names = options_.graph_before_names;
    align_options.two_formats = two_formats();
    std::optional<SampledFrame> first;
    if (first_r) first.emplace(reference_, *first_r, target_, *first_t);
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
    // A stage is not missing if some of its shapes have a partner.
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
      Track track{tensors_r[pair.reference], tensors_t[pair.target], pair.permutation, -1, {}, {}};
      track.varies = is_open(items_r[pair.reference].shape) || is_open(items_t[pair.target].shape);
      const bool varies = track.varies;
      if (options_.channels && !r.spec.shape.empty() && !varies) {
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
      layer.in_codes = in_codes(r) || in_codes(t);
      layer.how = pair.how;
      layer.transposed = !pair.permutation.empty();
      tracks_.push_back(std::move(track));
    }
    if (first) out_.swapped = swapped_outputs(alignment, channels_r, channels_t, *first);
    std::vector<TensorSpec> outputs;
    for (const Track& track : tracks_)
      if (track.result.stage == Stage::kModelOutput) {
        outputs.push_back(track.reference.channels.front()->channel.spec);
        // A tensor whose shape varies between frames cannot hold class scores.
        if (track.varies) outputs.back().shape.clear();
      }
    answers_.choose(outputs);
  }

  bool is_one_model() const {
    if (options_.one_model) return true;
    const auto hash = reference_.declared("model_sha256");
    return hash && !hash->empty() && target_.declared("model_sha256") == hash;
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
      // The same picture in two encodings (a file here, BGR pixels there) cannot be distinguished
      // from two pictures.
      if (raw_r && raw_t && *raw_r->encoding == *raw_t->encoding) {
        ++out_.raw_compared;
        out_.raw_equal += raw_r->bytes.text() == raw_t->bytes.text();
      }
    }
    answers_.begin(frame);
    inputs_ = {};
    std::size_t output = 0;
    for (Track& track : tracks_) {
      const bool is_output = track.result.stage == Stage::kModelOutput;
      EP_CHECK(
          add_tensor(track, frame_r, frame_t, is_output ? std::optional(output) : std::nullopt));
      output += is_output;
    }
    answers_.end(out_.frames);
    if (inputs_.non_finite_mismatch > 0)
      out_.frames.back().input_rmse = std::numeric_limits<double>::infinity();
    else if (inputs_.n > 0)
      out_.frames.back().input_rmse = std::sqrt(inputs_.sum_sq_d / static_cast<double>(inputs_.n));
    return {};
  }

  Status add_tensor(Track& track, std::uint32_t frame_r, std::uint32_t frame_t,
                    std::optional<std::size_t> output) {
    if (track.broken) return {};
    const auto r = track.reference.read(reference_, frame_r);
    if (!r) return Error(r.error()).during("reference frame " + std::to_string(frame_r));
    const auto t = track.target.read(target_, frame_t);
    if (!t) return Error(t.error()).during("target frame " + std::to_string(frame_t));
    if (!*r || !*t) return {};
    if (!are_alike(track, (*r)->spec->shape, (*t)->spec->shape)) {
      LayerAgreement& layer = track.result;
      if (layer.unlike++ == 0) {
        layer.unlike_frame = frame_r;
        layer.unlike_reference = (*r)->spec->shape;
        layer.unlike_target = (*t)->spec->shape;
      }
      if (output) answers_.add_unlike();
      return {};
    }
    Status done;
    Moments now;
    PairKinds kinds;
    if (track.permutation.empty()) {
      done = add_values(track, **r, **t, now, &kinds);
    } else {
      const auto moved = transposed(**t, track.permutation);
      done = moved ? add_values(track, **r, *moved, now, nullptr) : Status(moved.error());
      // The transposed values are reals, which have no ends of their range.
      if (done) done = kinds.reference.add(**r);
      if (done) done = kinds.target.add(**t);
    }
    if (!done) {
      track.broken = true;
      problem("'" + sanitized(track.result.name, 60) +
              "' cannot be compared: " + done.error().what);
      return {};
    }
    LayerAgreement& layer = track.result;
    layer.reference_kinds.merge(kinds.reference);
    layer.target_kinds.merge(kinds.target);
    const double rmse = now.n > 0 ? std::sqrt(now.sum_sq_d / static_cast<double>(now.n)) : 0;
    if (layer.frames == 0 || rmse > layer.worst_frame_rmse) {
      layer.worst_frame = frame_r;
      layer.worst_frame_rmse = rmse;
    }
    ++layer.frames;
    if (layer.stage == Stage::kModelInput) inputs_.merge(now);
    layer.moments.merge(now);
    if (output) answers_.add(*output, **r, **t, now);
    return {};
  }

  // Only shapes that vary between frames can differ in a single frame.
  static bool are_alike(const Track& track, const Shape& r, const Shape& t) {
    if (!track.varies) return true;
    const auto layout = layout_of(r, t);
    return layout && (layout->empty() || *layout == track.permutation);
  }

  Status add_values(Track& track, const TensorView& r, const TensorView& t, Moments& now,
                    PairKinds* kinds) {
    return track.axis < 0 ? accumulate(r, t, now, kinds)
                          : accumulate(r, t, track.axis, now, track.channel_sq_d, kinds);
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
          return layer.stage == Stage::kModelOutput && layer.in_codes;
        });
    EP_TRY(out_.answers, compare_answers(frames, options_.terms, quantized));
    if (out_.answers)
      out_.problems.insert(out_.problems.end(), out_.answers->problems.begin(),
                           out_.answers->problems.end());
    if (options_.metric) EP_CHECK(add_metric(frames));
    return {};
  }

  Status add_metric(const JoinedFrames& frames) {
    using Numbers = std::pair<std::uint32_t, std::uint32_t>;
    const auto side = [&](const trace::Reader& trace, std::uint32_t Numbers::*frame) {
      return [&frames, &trace, frame](std::size_t i) {
        return task::metric_frame(trace, frames.numbers[i].*frame, frames.truths[i]);
      };
    };
    EP_TRY(out_.metric,
           task::metric_result(*options_.metric, frames.numbers.size(),
                               side(reference_, &Numbers::first), side(target_, &Numbers::second)));
    const std::string name = "the metric " + in_quotes(out_.metric->name, 60);
    if (out_.metric->one_sided > 0)
      problem(name + " leaves out " + counted(out_.metric->one_sided, "frame") +
              " on one side only; they do not count");
    if (!out_.metric->difference) problem(name + " is not defined over these frames");
    return {};
  }

  void finish() {
    bool any = false, all = true;
    for (Track& track : tracks_) {
      LayerAgreement& layer = track.result;
      if (layer.unlike > 0 &&
          (layer.stage == Stage::kModelOutput || layer.stage == Stage::kModelInput))
        problem(shapes_text(layer, out_.frames.size()));
      if (layer.frames == 0 && layer.unlike == 0) {
        if (!out_.frames.empty() && !track.broken && layer.stage != Stage::kIntermediate)
          problem("'" + sanitized(layer.name, 60) +
                  "' was recorded in no frame that both traces have");
        continue;
      }
      layer.distances = distances(layer.moments);
      // Empty on both sides, for instance a list of detections.
      if (layer.frames > 0 && layer.moments.n + layer.moments.nan_r + layer.moments.nan_t +
                                      layer.moments.inf_r + layer.moments.inf_t ==
                                  0)
        layer.distances.exact = layer.unlike == 0;
      any = true;
      all = all && layer.distances.exact && layer.unlike == 0 && !track.broken;
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

  // A step before the resize has as many shapes as there are picture sizes: merges them into one
  // stage.
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
      // The worst channel of only one shape would mean something else.
      whole.worst_channel.reset();
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
  Moments inputs_;  ///< Moments of the model inputs of the current frame.
  std::uint64_t other_labels_ = 0;
  task::UnreadAnnotations unread_;
};

}  // namespace

Result<Agreement> compare_traces(const trace::Reader& reference, const trace::Reader& target,
                                 const CompareOptions& options, const Control& control) {
  return Comparison(reference, target, options, control).run();
}

}  // namespace edgeprobe::compare
