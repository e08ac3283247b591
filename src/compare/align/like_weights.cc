// SPDX-License-Identifier: Apache-2.0
#include "compare/align/like_weights.h"

#include <cmath>

#include "compare/align/converted.h"
#include "compare/align/layout.h"
#include "model/graph.h"

namespace edgeprobe::compare {

const std::vector<float>& LikeWeights::values(const WeightedGraph& side, std::size_t layer,
                                              const std::vector<int>& order) {
  const auto [place, fresh] = known_.try_emplace({&side, layer, order});
  std::vector<float>& kept = place->second;
  if (!fresh) return kept;
  const model::Layer& of = side.graph.layers[layer];
  const int tensor = side.constant_in(of, slots_of(of.type)->weights);
  const auto stored = model::constant(side.graph, side.file, tensor);
  if (!stored) return kept;
  return kept = scattered_values(*stored, order);
}

std::optional<double> LikeWeights::cosine(std::size_t reference, std::size_t target) {
  const auto [place, fresh] = cosines_.try_emplace({reference, target});
  if (fresh) place->second = computed(reference, target);
  return place->second;
}

std::optional<double> LikeWeights::computed(std::size_t reference, std::size_t target) {
  const model::Layer &r = reference_.graph.layers[reference], &t = target_.graph.layers[target];
  const auto order = weights_order(target_, t, reference_, r);
  if (!order) return std::nullopt;
  const std::vector<float>&a = values(reference_, reference, {}),
        &b = values(target_, target, *order);
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
    ab += double{a[i]} * double{b[i]};
  }
  const double length = std::sqrt(aa * bb);
  return length > 0 && std::isfinite(length) ? std::optional(ab / length) : std::nullopt;
}

}  // namespace edgeprobe::compare
