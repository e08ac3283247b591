// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>

namespace edgeprobe::diagnose {

double share_of(double before, double after, double all) {
  return std::clamp((before * before - after * after) / std::max(all * all, 1e-12), 0.0, 1.0);
}

std::string layers_text(const std::vector<int>& layers) {
  std::string text = layers.size() == 1 ? "layer " : "layers ";
  const std::size_t shown = std::min<std::size_t>(layers.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + std::to_string(layers[i]);
  return layers.size() > shown ? text + " and " + std::to_string(layers.size() - shown) + " more"
                               : text;
}

}  // namespace edgeprobe::diagnose
