// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/feed.h"

#include <string_view>

namespace edgeprobe::pipeline {

std::string bare_name(std::string name) {
  constexpr std::string_view kServing = "serving_default_";
  if (name.starts_with(kServing)) name.erase(0, kServing.size());
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos && colon > 0 && colon + 1 < name.size() &&
      name.find_first_not_of("0123456789", colon + 1) == std::string::npos)
    name.erase(colon);
  return name;
}

std::string described(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + " [" + to_list(spec.shape) + "]";
}

}  // namespace edgeprobe::pipeline
