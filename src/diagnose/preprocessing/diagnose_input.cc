// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/preprocessing/answer/beyond.h"
#include "diagnose/preprocessing/answer/value_table.h"
#include "diagnose/preprocessing/answer/wording.h"
#include "diagnose/preprocessing/model/statistics.h"
#include "diagnose/preprocessing/search/consensus.h"
#include "diagnose/preprocessing/search/explain.h"
#include "diagnose/preprocessing/search/saturation.h"

namespace edgeprobe::diagnose {
namespace {

/// Frames to search; the others only confirm or refute the result.
constexpr std::size_t kSearched = 5;
constexpr std::size_t kVerified = 24;
/// The search stops after this many frames without an explanation,
constexpr std::size_t kHopeless = 3;
constexpr double kFar = 8;  ///< if this many gray steps remain.
/// Gray steps: 8-bit roundings of the same kernel in two libraries differ by up to 0.43, an
/// unlisted kernel by 0.56 and more.
constexpr double kNearKernel = 0.45;
/// Fraction of the squared distance that the nearest explanation must explain to be reported.
constexpr double kWorthNaming = 0.9;

std::vector<std::string> alternatives_of(Part part, const Consensus& c) {
  std::vector<std::string> names;
  if (part == Part::kResampling)
    for (const auto& kernel : c.same_kernels) {
      auto name = kernel_name(kernel);
      if (name != kernel_name(c.hypothesis.resampling) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  if (part == Part::kRange) names = c.same_ranges;
  if (part == Part::kOrientation)
    for (Orientation o : c.same_orientations)
      if (o != c.hypothesis.orientation) names.push_back(describe_orientation(o));
  return names;
}

Evidence value_lines(const Hypothesis& h, const Reference& reference) {
  return {EvidenceKind::kValueLines,
          {{"gain", h.range.gain},
           {"offset", h.range.offset},
           {"reference_gain", reference.gain},
           {"reference_offset", reference.offset}}};
}

void describe_faults(InputDiagnosis& out, const Consensus& c, const Reference& reference,
                     const Hypothesis& own) {
  Hypothesis repaired = c.hypothesis;
  const auto fault = [&](const Difference& d) {
    InputFault f;
    f.kind = kind_of(d.part, c.hypothesis);
    f.detail = describe(d.part, c.hypothesis, own, reference);
    f.alternatives = alternatives_of(d.part, c);
    f.contribution = d.contribution;
    f.fix_step = fix_step(d.part, reference, own);
    repaired = with(repaired, own, d.part);
    f.without_it = recipe_of(reference, repaired, own);
    return f;
  };
  // Differences too small to matter are left out of the chain of fixes.
  const Hypothesis whole = repaired;
  for (const Difference& d : c.slight) repaired = with(repaired, own, d.part);
  if (!differs(repaired, own, Part::kResampling)) repaired.rounding = own.rounding;
  const Hypothesis start = repaired;
  for (const Difference& d : c.differences) out.faults.push_back(fault(d));
  repaired = start;
  for (const Difference& d : c.slight) {
    out.notes.push_back(fault(d));
    out.notes.back().without_it = recipe_of(reference, start, own);
  }
  out.target_recipe = recipe_of(reference, whole, own);
}

/// True if a named kernel leaves more than its own rounding: an unlisted kernel comes as close.
/// Allows for another decoder only if one was detected.
bool only_near(const Consensus& c, const Reference& reference,
               const std::vector<Explanation>& explanations) {
  const bool other_decoder = std::any_of(
      explanations.begin(), explanations.end(),
      [](const Explanation& e) { return e.hypothesis.decode && !e.hypothesis.decode_is_fault; });
  return c.status == Explanation::Status::kFound && !other_decoder &&
         std::any_of(c.differences.begin(), c.differences.end(),
                     [](const Difference& d) { return d.part == Part::kResampling; }) &&
         c.residual > allowed(kNearKernel, reference, c.hypothesis);
}

/// Reports that the kernel is uncertain, next to other faults that are certain.
void doubt_kernel(InputDiagnosis& out, const Consensus& c) {
  for (InputFault& fault : out.faults) fault.near_only = fault.kind == CauseKind::kResize;
  if (c.differences.size() == 1) out.status = InputDiagnosis::Status::kPartial;
}

/// Replaces the nearest recipe by a fault that recipes cannot express; the other frames must
/// confirm it as well.
bool found_beyond(InputDiagnosis& out, std::vector<Frame>& ready,
                  const std::vector<InputFrame>& frames, const std::vector<std::size_t>& picked,
                  const std::vector<Explanation>& explanations, const Consensus& c,
                  const Reference& reference, const Hypothesis& own) {
  // A line that fits most frames may be the part of a table that they cover.
  auto beyond = out.status == InputDiagnosis::Status::kFound
                    ? explain_by_table(ready, c, reference, own)
                    : beyond_recipes(ready, explanations, c, reference, own);
  if (!beyond) return false;
  std::size_t used = ready.size();
  const auto looked = picked.begin() + std::ptrdiff_t(std::min(picked.size(), ready.size()));
  for (const std::size_t i : evenly_spaced(frames.size(), kVerified)) {
    if (std::find(picked.begin(), looked, i) != looked) continue;
    auto frame = make_frame(frames[i], reference);
    if (!frame) continue;
    if (beyond->left(*frame).value_or(0) > allowed(kExact, reference)) return false;
    ++used;
  }
  out.status = InputDiagnosis::Status::kFound;
  out.as_recorded = true;
  out.reason.clear();
  out.residual = beyond->residual;
  out.frames_used = out.frames_agreeing = used;
  out.faults.push_back(std::move(beyond->fault));
  for (InputFault& fault : beyond->besides) out.faults.push_back(std::move(fault));
  out.evidence = std::move(beyond->evidence);
  out.evidence.push_back(
      {EvidenceKind::kLeftWithFault, {{"distance", out.residual_before}, {"left", out.residual}}});
  out.evidence.push_back({EvidenceKind::kFramesAgree, {{"agreeing", used}, {"frames", used}}});
  out.left = [reference, left = beyond->left](const InputFrame& given) -> std::optional<double> {
    auto frame = make_frame(given, reference);
    if (!frame) return std::nullopt;
    return left(*frame);
  };
  return true;
}

bool is_constant(const Frame& frame) {
  return std::all_of(frame.stored.begin(), frame.stored.end(),
                     [&](float v) { return v == frame.stored.front(); });
}

/// The range that gives each pixel of these pictures the one recorded code.
std::optional<InputFault> cut_off_fault(std::vector<Frame>& frames, const Reference& reference,
                                        const std::vector<Range>& ranges, const Hypothesis& own) {
  std::vector<Range> common;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto found = ranges_of_constant(frames[i], reference, ranges);
    if (i == 0) common = found;
    std::erase_if(common, [&](const Range& range) {
      return std::none_of(found.begin(), found.end(),
                          [&](const Range& other) { return other.name == range.name; });
    });
  }
  if (common.empty()) return std::nullopt;
  Hypothesis h = own;
  h.range = common.front();
  InputFault fault;
  fault.kind = kind_of(Part::kRange, h);
  fault.detail = describe(Part::kRange, h, own, reference);
  fault.fix_step = fix_step(Part::kRange, reference, own);
  for (std::size_t i = 1; i < common.size() && i < 4; ++i)
    fault.alternatives.push_back(common[i].name);
  return fault;
}

bool have_one_code(const std::vector<Frame>& frames, const Reference& reference) {
  return reference.coded && std::all_of(frames.begin(), frames.end(), [&](const Frame& frame) {
           return is_constant(frame) && frame.stored.front() == frames.front().stored.front();
         });
}

}  // namespace

Result<InputDiagnosis> diagnose_input(const std::vector<InputFrame>& frames,
                                      const preprocess::Recipe& recipe,
                                      const TensorSpec& reference_input,
                                      const TensorSpec& target_input) {
  InputDiagnosis out;
  if (frames.empty()) {
    out.reason = "no frame has both a raw picture and a recorded model input";
    return out;
  }
  auto taken = take_apart(recipe, reference_input, target_input);
  if (!taken) {
    out.reason = taken.error().what;
    return out;
  }
  const Reference& reference = *taken;
  for (const double gain : reference.real_gain)
    out.gray_step += std::abs(gain) / double(reference.real_gain.size());
  const auto ranges = known_ranges(reference);
  const Hypothesis own = reference_hypothesis(reference, ranges.front());

  std::vector<Frame> ready;
  std::vector<Explanation> explanations;
  std::string refused;
  const auto picked = evenly_spaced(frames.size(), kSearched);
  for (std::size_t i : picked) {
    auto frame = make_frame(frames[i], reference);
    if (!frame) {
      // The reference's own recipe fails: the caller's mistake, which allows no diagnosis.
      if (frame.error().kind == ErrorKind::kUsage) return std::move(frame.error());
      refused = frame.error().what;
      continue;
    }
    explanations.push_back(explain(*frame, reference, ranges));
    ready.push_back(std::move(*frame));
    // Stops early if the pictures have nothing in common with the recording.
    if (ready.size() >= kHopeless &&
        std::all_of(explanations.begin(), explanations.end(), [](const Explanation& e) {
          return e.status == Explanation::Status::kPartial && e.residual > kFar;
        }))
      break;
  }
  out.frames_used = ready.size();
  if (ready.empty()) {
    out.reason = refused;
    return out;
  }
  const Consensus c = agree(ready, explanations, reference, ranges);
  out.frames_agreeing = std::size_t(std::count(c.agrees.begin(), c.agrees.end(), true));
  out.residual_before = c.residual_before;
  out.residual = c.residual;
  using S = Explanation::Status;
  out.status = c.status == S::kEqual     ? InputDiagnosis::Status::kEqual
               : c.status == S::kFound   ? InputDiagnosis::Status::kFound
               : c.status == S::kPartial ? InputDiagnosis::Status::kPartial
                                         : InputDiagnosis::Status::kUndecidable;
  for (const Explanation& e : explanations)
    if (out.reason.empty() && (out.status == InputDiagnosis::Status::kUndecidable ||
                               out.status == InputDiagnosis::Status::kPartial))
      out.reason = e.reason;
  if (out.status == InputDiagnosis::Status::kUndecidable) {
    if (out.reason.empty()) out.reason = "no frame could be decided";
    if (have_one_code(ready, reference)) {
      out.cut_off = cut_off_fault(ready, reference, ranges, own);
      out.is_largest_code = ready.front().stored.front() == float(reference.highest);
    }
    return out;
  }

  const auto is_cut_off = [&](const Explanation& e) { return reference.coded && e.destroyed; };
  out.is_saturated =
      std::size_t(std::count_if(explanations.begin(), explanations.end(), is_cut_off)) * 2 >
      explanations.size();
  const bool in_some =
      out.status == InputDiagnosis::Status::kFound && out.frames_agreeing < ready.size();
  if (!out.is_saturated && (out.status == InputDiagnosis::Status::kPartial || in_some) &&
      found_beyond(out, ready, frames, picked, explanations, c, reference, own))
    return out;

  // The other frames only show whether the answer also holds for them.
  if (out.status == InputDiagnosis::Status::kFound) {
    for (std::size_t i : evenly_spaced(frames.size(), kVerified)) {
      if (std::find(picked.begin(), picked.end(), i) != picked.end()) continue;
      auto frame = make_frame(frames[i], reference);
      if (!frame) continue;
      // A frame with a single code neither confirms nor refutes the answer.
      if (out.is_saturated && is_constant(*frame)) continue;
      ++out.frames_used;
      double residual = 0;
      if (out.is_saturated ? predicts_codes(*frame, reference, c.hypothesis)
                           : bears_out(*frame, reference, c.hypothesis, residual))
        ++out.frames_agreeing;
    }
  }
  // Drops a nearest explanation that explains nothing; the residual then equals the initial one.
  const bool explains_nothing =
      out.status == InputDiagnosis::Status::kPartial && out.residual >= out.residual_before;
  if (explains_nothing) out.residual = out.residual_before;
  else describe_faults(out, c, reference, own);
  if (only_near(c, reference, explanations)) doubt_kernel(out, c);

  out.evidence.push_back({EvidenceKind::kInputDistance,
                          {{"distance", out.residual_before}, {"frames", ready.size()}}});
  if (!out.faults.empty()) {
    const double share = out.residual_before > 0
                             ? std::max(0.0, 1 - out.residual * out.residual /
                                                     (out.residual_before * out.residual_before))
                             : 0;
    const bool worth_a_word = out.status == InputDiagnosis::Status::kFound || share >= kWorthNaming;
    if (worth_a_word)
      out.evidence.push_back(
          {EvidenceKind::kLeftWithDifferences,
           {{"differences", out.faults.size()}, {"left", out.residual}, {"explained", share}}});
    if (worth_a_word)
      out.evidence.push_back({EvidenceKind::kFramesAgree,
                              {{"agreeing", out.frames_agreeing}, {"frames", out.frames_used}}});
    for (const Difference& d : c.differences)
      if (worth_a_word && d.part == Part::kRange && !c.hypothesis.range.unquantized)
        out.evidence.push_back(value_lines(c.hypothesis, reference));
  }
  if (c.order_undecidable) out.evidence.push_back({EvidenceKind::kGrayPictures});
  for (const Evidence& seen : explanations.front().measured) out.evidence.push_back(seen);
  if (out.status == InputDiagnosis::Status::kEqual && out.residual_before > kInvisible)
    out.evidence.push_back({EvidenceKind::kDecoderRounding});
  if (out.status == InputDiagnosis::Status::kPartial)
    for (Evidence& seen : describe_difference(ready.front(), reference))
      out.evidence.push_back(std::move(seen));
  if (out.status == InputDiagnosis::Status::kPartial && out.reason.empty())
    out.reason =
        "no known change of the reference's pre-processing reproduces the recorded input (" +
        number(out.residual, 3) + " gray steps stay)";
  return out;
}

}  // namespace edgeprobe::diagnose
