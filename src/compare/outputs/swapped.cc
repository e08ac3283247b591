// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/swapped.h"

#include <algorithm>
#include <iterator>

namespace edgeprobe::compare {
namespace {

constexpr double kFits = 0.99, kDoesNotFit = 0.9;
// Each is compared with each; no app reads that many by index.
constexpr std::size_t kMostOutputs = 500;

struct Sides {
  const std::vector<const trace::ReadChannel*>& reference;
  const std::vector<const trace::ReadChannel*>& target;
  SampledFrame& frame;

  std::optional<double> correlation(std::size_t r, std::size_t t) const {
    const auto permutation =
        layout_of(reference[r]->channel.spec.shape, target[t]->channel.spec.shape);
    if (!permutation) return std::nullopt;
    return frame.correlation(*reference[r], *target[t], *permutation);
  }
  const std::string& name_r(std::size_t r) const { return reference[r]->channel.spec.name; }
  const std::string& name_t(std::size_t t) const { return target[t]->channel.spec.name; }
};

}  // namespace

std::vector<SwappedOutputs> swapped_outputs(const Alignment& alignment,
                                            const std::vector<const trace::ReadChannel*>& reference,
                                            const std::vector<const trace::ReadChannel*>& target,
                                            SampledFrame& frame) {
  const Sides sides{reference, target, frame};
  std::vector<SwappedOutputs> found;
  std::vector<AlignedPair> outputs;
  std::copy_if(alignment.pairs.begin(), alignment.pairs.end(), std::back_inserter(outputs),
               [&](const AlignedPair& pair) {
                 return reference[pair.reference]->channel.stage == trace::Stage::kModelOutput;
               });
  if (outputs.size() > kMostOutputs) return found;
  for (std::size_t p = 0; p < outputs.size(); ++p)
    for (std::size_t q = p + 1; q < outputs.size(); ++q) {
      const AlignedPair &a = outputs[p], &b = outputs[q];
      const auto straight_a = sides.correlation(a.reference, a.target),
                 straight_b = sides.correlation(b.reference, b.target);
      const auto cross_a = sides.correlation(a.reference, b.target),
                 cross_b = sides.correlation(b.reference, a.target);
      const bool values_cross = cross_a && cross_b && *cross_a >= kFits && *cross_b >= kFits &&
                                straight_a.value_or(0) < kDoesNotFit &&
                                straight_b.value_or(0) < kDoesNotFit;
      if (values_cross) {
        // Both sides share the name or index of a pair, so one of them has the outputs exchanged.
        found.push_back({sides.name_r(a.reference), sides.name_r(b.reference),
                         sides.name_t(b.target), sides.name_t(a.target), true});
        continue;
      }
      const bool names_cross = !sides.name_r(a.reference).empty() &&
                               sides.name_r(a.reference) != sides.name_r(b.reference) &&
                               sides.name_r(a.reference) == sides.name_t(b.target) &&
                               sides.name_r(b.reference) == sides.name_t(a.target);
      const auto place = [](const trace::ReadChannel* channel) {
        return channel->channel.position;
      };
      const bool places_cross = place(reference[a.reference]) >= 0 &&
                                place(reference[a.reference]) == place(target[b.target]) &&
                                place(reference[b.reference]) >= 0 &&
                                place(reference[b.reference]) == place(target[a.target]);
      if (names_cross || places_cross)
        found.push_back({sides.name_r(a.reference), sides.name_r(b.reference),
                         sides.name_t(a.target), sides.name_t(b.target), names_cross});
    }
  return found;
}

}  // namespace edgeprobe::compare
