// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/evenly_spaced.h"
#include "diagnose/input/search/no_picture.h"
#include "diagnose/input/search/search_input.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 5;

// The samples of up to kFrames frames without a picture.
std::vector<std::size_t> samples_of(const NoPicture& found, const pipeline::TraceSamples& raw) {
  std::vector<std::size_t> all, picked;
  for (std::size_t i = 0; i < raw.samples.size(); ++i)
    if (found.holds(raw.frames[i])) all.push_back(i);
  for (const std::size_t k : evenly_spaced(all.size(), kFrames)) picked.push_back(all[k]);
  return picked;
}

}  // namespace

Status explain_constant(const Study& study, const Control& control, NoPicture& found) {
  const Case& known = study.known;
  if (found.faults.empty() || found.faults.front().kind != CauseKind::kEmptyInput ||
      !known.reference_pipeline || !known.reference_pipeline->has_recipe() ||
      known.guessed_recipe || !known.raw)
    return {};
  // The constant is a cause without its pictures: a picture that cannot be read hides nothing.
  const auto observed = observed_inputs(*known.target, *study.input.target, *known.raw,
                                        samples_of(found, *known.raw));
  if (!observed || observed->empty()) return {};
  auto searched = search_input({study.input.front_end, known.reference_pipeline->input(),
                                study.input.target->channel.spec, 0},
                               *observed, control);
  if (!searched && searched.error().kind == ErrorKind::kInterrupted)
    return std::move(searched.error());
  if (!searched || !*searched || !(*searched)->diagnosis.cut_off) return {};
  InputFault& fault = found.faults.front();
  InputFault range = *std::move((*searched)->diagnosis.cut_off);
  if (!(*searched)->diagnosis.is_largest_code) {
    fault.alternatives.push_back(range.detail + ", and this is the only code left");
    return {};
  }
  // Codes are finite, so all of these frames are constant.
  range.detail += "; the codes cut all values off in " + std::to_string(found.frames.size()) +
                  " of " + std::to_string(found.all) + (found.all == 1 ? " frame" : " frames");
  range.alternatives.push_back("a buffer filled with this code");
  range.contribution = fault.contribution;
  fault = std::move(range);
  return {};
}

}  // namespace edgeprobe::diagnose
