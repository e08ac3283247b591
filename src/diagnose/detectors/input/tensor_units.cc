// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/tensor_units.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/input/integer_inputs.h"
#include "diagnose/input/recorded_pairs.h"
#include "diagnose/input/search/stream_windows.h"
#include "diagnose/state/counters.h"
#include "diagnose/tensors/changes.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::diagnose {
namespace {

using State = TensorInput::State;

/// A gain and an offset explain an input if no more than this of the deviation is left.
constexpr double kLinear = 1 - 1e-6;
/// Frames examined for exchanged inputs.
constexpr std::size_t kFrames = 16;
/// Largest number of elements of an input that may be a counter.
constexpr std::size_t kLongestCounter = 4096;

bool near(const std::vector<float>& a, const std::vector<float>& b, double most) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(double(a[i]) - double(b[i])) <= most)) return false;
  return true;
}

Result<std::optional<std::vector<float>>> values_of(const trace::Reader& reader,
                                                    std::uint32_t frame, const std::string& name) {
  const trace::ReadChannel* const channel = input_of(reader, name);
  if (!channel) return std::optional<std::vector<float>>();
  EP_TRY(const auto message, reader.read(frame, channel->id));
  if (!message) return std::optional<std::vector<float>>();
  EP_TRY(auto values, to_float(*message));
  return std::optional(std::move(values));
}

/// True if each of the two inputs holds the reference's other input in every frame.
Result<bool> are_exchanged(const Study& study, const TensorInput& a, const TensorInput& b) {
  const double most = std::max(tolerance(study, a), tolerance(study, b));
  std::size_t compared = 0;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    if (compared == kFrames) break;
    auto own_a = values_of(*study.known.reference, frame.reference, a.name);
    auto own_b = values_of(*study.known.reference, frame.reference, b.name);
    auto fed_a = values_of(*study.known.target, frame.target, a.target_name);
    auto fed_b = values_of(*study.known.target, frame.target, b.target_name);
    for (const auto* one : {&own_a, &own_b, &fed_a, &fed_b})
      if (!*one) return one->error();
    if (!*own_a || !*own_b || !*fed_a || !*fed_b) continue;
    if (!near(**fed_a, **own_b, most) || !near(**fed_b, **own_a, most)) return false;
    ++compared;
  }
  return compared > 0;
}

std::string quoted(const std::string& name) { return in_quotes(name, 80); }

bool begins_in(const RecordedStates& states, std::uint32_t frame) {
  const auto& frames = states.recording.frames;
  const auto at = std::lower_bound(frames.begin(), frames.end(), frame);
  return at != frames.end() && *at == frame &&
         states.recording.begins[static_cast<std::size_t>(at - frames.begin())];
}

/// Describes the change of an input that counts, such as a position or a time. Empty for other
/// inputs.
Result<std::string> counted(const Study& study, const TensorInput& input) {
  state::Recording recording;
  std::vector<std::uint32_t> reference;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    recording.frames.push_back(frame.target);
    reference.push_back(frame.reference);
  }
  if (!std::is_sorted(recording.frames.begin(), recording.frames.end())) return std::string();
  EP_TRY(const auto fed,
         input_series(*study.known.target, input.target_name, recording.frames, kLongestCounter));
  EP_TRY(const auto meant,
         input_series(*study.known.reference, input.name, reference, kLongestCounter));
  if (!fed || !meant) return std::string();
  const pipeline::RecordedInputs recorded(*study.known.target);
  for (const std::uint32_t frame : recording.frames)
    recording.begins.push_back(recorded.begins_sequence(frame) ||
                               (study.states && begins_in(*study.states, frame)));
  const auto found = state::counter_finding(recording, *fed, *meant);
  if (!found) return std::string();
  const std::string who = "input " + quoted(input.name) + ", which counts the steps, ";
  const std::string first =
      "; first at frame " + std::to_string(recording.frames[found->steps.front()]);
  using enum state::CounterFault;
  switch (found->fault) {
    case kOffset:
      return who + "is " + number(std::abs(found->offset)) + " too " +
             (found->offset > 0 ? "high" : "low") + " in every step" + first;
    case kStuck: return who + "never advances" + first;
    case kNotSetBack: return who + "is not set back where a sequence begins" + first;
    case kRate:
      return who + "advances by " + number(found->rate) + " a step, the reference's by " +
             number(found->meant_rate) + first;
    case kUnknown: break;
  }
  return who + "is another in " + std::to_string(found->steps.size()) + " of " +
         std::to_string(recording.steps()) + " steps" + first;
}

/// Describes the change of one input.
std::string described(const TensorInput& input, const std::optional<IntegerDifference>& integers) {
  const compare::Moments& m = input.moments;
  const std::string who = "input " + quoted(input.name);
  if (m.non_finite_mismatch > 0 && m.nan_r + m.inf_r == 0)
    return who + " holds NaN or infinity in " + std::to_string(m.nan_t + m.inf_t) +
           " values; the reference's are finite";
  if (m.n > 0 && m.min_t == m.max_t && m.min_r < m.max_r)
    return who + " is " + number(m.min_t) + " everywhere; the reference's is not";
  const compare::Distances& d = input.distances;
  if (d.gain && d.offset && d.pearson && std::abs(*d.pearson) >= kLinear) {
    const double range = m.max_t - m.min_t;
    const bool shifted = std::abs(*d.offset) > 1e-4 * range;
    // A gain of 1 without an offset is rounding.
    if (!shifted && std::abs(*d.gain - 1) < 1e-4)
      return who + " is the reference's except for rounding: at most " + number(m.max_abs_d, 2) +
             " of a range of " + number(range, 2);
    return who + " is the reference's times " + number(*d.gain) +
           (shifted ? (*d.offset < 0 ? " minus " : " plus ") + number(std::abs(*d.offset)) : "");
  }
  if (integers)
    return who + " differs from the reference's in " + std::to_string(integers->frames) + " of " +
           std::to_string(integers->of_frames) + " frames, in " + std::to_string(integers->values) +
           " of " + std::to_string(integers->of_values) + " values; first at frame " +
           std::to_string(integers->frame);
  return who + " differs from the reference's" +
         (d.rmse_over_range ? " by " + number(*d.rmse_over_range, 2) + " of its range (RMSE)" : "");
}

/// Frames of other sizes were left out of the search.
std::string of_one_size(const tensors::Pairs& pairs) {
  if (pairs.left_out == 0) return "";
  return " (examined in " + edgeprobe::counted(pairs.all.size(), "frame") + " of one size, " +
         std::to_string(pairs.left_out) + " of other sizes left out)";
}

/// Judges one input: a counter, a change that reproduces it, windows of a stream, or a distance.
Result<TensorUnit> unit_of(const Study& study, const TensorInput& input, const Control& control) {
  TensorUnit unit;
  unit.names = {input.name};
  EP_TRY(unit.detail, counted(study, input));
  if (!unit.detail.empty()) return unit;
  EP_TRY(const auto pairs, recorded_pairs(study, input_of(*study.known.target, input.target_name),
                                          input_of(*study.known.reference, input.name), control));
  const auto by = [&](tensors::Change change) {
    unit.kind = change.kind;
    unit.detail = "input " + quoted(input.name) + tensors::in_frames(pairs) + of_one_size(pairs) +
                  " " + change.detail;
    unit.alternatives = std::move(change.alternatives);
    unit.is_named = true;
    return unit;
  };
  if (auto change = tensors::change_of_all(pairs)) return by(*std::move(change));
  EP_TRY(auto faults, stream_faults(study, input.target_name, input.name, control));
  // If frames share no rows, the frames are in the wrong order.
  if (!faults.empty() && !faults.front().overlaps)
    if (auto change = tensors::other_frame(pairs)) return by(*std::move(change));
  for (StreamFault& fault : faults) {
    if (unit.detail.empty()) unit.kind = fault.kind;
    unit.detail +=
        (unit.detail.empty() ? "input " + quoted(input.name) + ": " : ", and ") + fault.detail;
    if (unit.alternatives.empty()) unit.alternatives = std::move(fault.alternatives);
  }
  unit.is_named = !unit.detail.empty();
  if (unit.is_named) return unit;
  if (auto change = tensors::change_of_some(pairs)) return by(*std::move(change));
  EP_TRY(const auto integers, integer_difference(study, input.target_name, input.name, control));
  unit.detail = described(input, integers);
  unit.where = tensors::where_of(pairs);
  unit.where.of_other_frames = tensors::of_other_frames(pairs);
  if (const std::string where = tensors::worded(unit.where); !integers && !where.empty())
    unit.detail += of_one_size(pairs) + ": " + where;
  return unit;
}

}  // namespace

Result<std::vector<TensorUnit>> tensor_units(const Study& study,
                                             const std::vector<TensorInput>& inputs,
                                             const Control& control) {
  std::vector<TensorUnit> units;
  std::set<std::string> told;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t j = i + 1; j < inputs.size(); ++j) {
      const TensorInput &a = inputs[i], &b = inputs[j];
      if (a.state != State::kDiffers || b.state != State::kDiffers || told.count(a.name) ||
          told.count(b.name))
        continue;
      EP_TRY(const auto exchanged, are_exchanged(study, a, b));
      if (!exchanged) continue;
      told.insert({a.name, b.name});
      units.push_back({{a.name, b.name},
                       "inputs " + quoted(a.name) + " and " + quoted(b.name) +
                           " are exchanged: the app feeds each with the values of the other",
                       CauseKind::kInputOrder,
                       {},
                       true,
                       {}});
    }
  for (const TensorInput& input : inputs)
    if (input.state == State::kDiffers && !told.count(input.name)) {
      EP_TRY(auto unit, unit_of(study, input, control));
      units.push_back(std::move(unit));
    }
  return units;
}

}  // namespace edgeprobe::diagnose
