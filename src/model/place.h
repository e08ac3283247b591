// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace edgeprobe::model {

/// Where a value stands in the file, for messages: "subgraphs[0].tensors[12].shape". The chain
/// points outwards; an outer table or message outlives what is found in it.
struct Place {
  const Place* outer = nullptr;
  const char* field = "";
  std::int64_t index = -1;  ///< In a vector; -1 outside of one.
};
std::string path_of(const Place& place);

}  // namespace edgeprobe::model
