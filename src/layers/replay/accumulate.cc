// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/accumulate.h"

#include <algorithm>
#include <set>

#include "layers/capture/order.h"

namespace edgeprobe::layers {

Result<Accumulated> accumulate(const model::Graph& reference, const Pairing& pairing,
                               const std::vector<int>& logits, const Values& reference_values,
                               const Values& target_values, const Control& control) {
  Accumulated out;
  out.pairs.resize(pairing.ops.size());
  const auto add = [&](int r, int t, std::size_t frame, Spread& sums) -> Status {
    if (!reference_values.find(r) || !target_values.find(t)) return {};
    const auto a = real(reference_values, r, frame);
    auto b = real(target_values, t, frame);
    if (!a) return a.error();
    if (!b) return b.error();
    if (a->size() != b->size()) return {};
    EP_TRY(const auto moved,
           in_reference_order(*std::move(b), reference_values.find(r)->shape, pairing.order_of(t)));
    sums.add(*a, moved);
    return {};
  };
  for (std::size_t frame = 0; frame < target_values.frames(); ++frame) {
    if (control.stopped()) return interrupted();
    for (std::size_t i = 0; i < pairing.ops.size(); ++i)
      EP_CHECK(add(pairing.ops[i].reference, pairing.ops[i].target, frame, out.pairs[i]));
    for (const int tensor : logits)
      if (const auto partner = pairing.target_of.find(tensor); partner != pairing.target_of.end())
        EP_CHECK(add(tensor, partner->second, frame, out.logits[tensor]));
    for (const int tensor : reference.inputs)
      if (const auto partner = pairing.target_of.find(tensor); partner != pairing.target_of.end())
        EP_CHECK(add(tensor, partner->second, frame, out.input));
    if (control.progress)
      control.progress(frame + 1, target_values.frames(), "frames of layers compared");
  }
  return out;
}

double logit_nrmse_of(const Accumulated& accumulated) {
  std::vector<Spread> spreads;
  for (const auto& [tensor, sums] : accumulated.logits)
    if (sums.elements() > 0) spreads.push_back(sums);
  return logit_nrmse_of(spreads);
}

std::vector<double> error_gains(const model::Graph& reference, const Pairing& pairing,
                                const Accumulated& accumulated, double floor) {
  std::map<int, double> nse;  // Indexed by the reference's tensor.
  for (const int input : reference.inputs) nse[input] = accumulated.input.nse();
  for (std::size_t i = 0; i < pairing.ops.size(); ++i)
    if (accumulated.pairs[i].elements() > 0)
      nse[pairing.ops[i].reference] = accumulated.pairs[i].nse();
  const std::vector<int> maker = makers(reference);
  std::vector<double> out;
  for (const OpPair& pair : pairing.ops) {
    double worst = 0;
    std::set<int> seen{pair.reference_layer};
    std::vector<int> open{pair.reference_layer};
    while (!open.empty()) {
      const model::Layer& layer = reference.layers[static_cast<std::size_t>(open.back())];
      open.pop_back();
      for (const int input : layer.inputs) {
        if (input < 0) continue;
        if (const auto known = nse.find(input); known != nse.end()) {
          worst = std::max(worst, known->second);
        } else if (const int above = maker[static_cast<std::size_t>(input)];
                   above >= 0 && seen.insert(above).second) {
          open.push_back(above);
        }
      }
    }
    const auto own = nse.find(pair.reference);
    out.push_back(own == nse.end() ? 0 : own->second / (worst + floor));
  }
  return out;
}

}  // namespace edgeprobe::layers
