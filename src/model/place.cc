// SPDX-License-Identifier: Apache-2.0
#include "model/place.h"

namespace edgeprobe::model {

std::string path_of(const Place& place) {
  std::string text = place.outer ? path_of(*place.outer) : "";
  if (!text.empty()) text += '.';
  text += place.field;
  if (place.index >= 0) text += "[" + std::to_string(place.index) + "]";
  return text;
}

}  // namespace edgeprobe::model
