// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/suspects.h"

#include <algorithm>

namespace edgeprobe::fix {
namespace {

using diagnose::CauseStatus;

/// A range dominated by one large channel costs nothing on the layer's own output, but everything
/// downstream.
constexpr double kLeastShare = 0.1;

struct Cost {
  int layer;
  bool on_logits;  ///< True: cost on the logits; false: on the layer's own output.
  double value;
};

}  // namespace

std::vector<int> suspects(const diagnose::Verdict& verdict) {
  std::vector<int> order;
  const auto add = [&](int layer) {
    if (layer >= 0 && std::find(order.begin(), order.end(), layer) == order.end())
      order.push_back(layer);
  };
  for (const CauseStatus status :
       {CauseStatus::kConfirmed, CauseStatus::kNearly, CauseStatus::kNote, CauseStatus::kPartial})
    for (const diagnose::Cause& cause : verdict.causes)
      if (cause.status == status)
        for (const int layer : cause.layers) add(layer);

  std::vector<Cost> costs;
  for (const diagnose::LayerDrift& layer : verdict.layers) {
    if (layer.index < 0) continue;
    const double share = layer.share.value_or(0);
    if (layer.single_layer_error || share >= kLeastShare)
      costs.push_back({layer.index, true, std::max(share, layer.single_layer_error.value_or(0))});
    else if (layer.local_error) costs.push_back({layer.index, false, *layer.local_error});
  }
  std::stable_sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) {
    return a.on_logits != b.on_logits ? a.on_logits : a.value > b.value;
  });
  for (const Cost& cost : costs) add(cost.layer);
  return order;
}

}  // namespace edgeprobe::fix
