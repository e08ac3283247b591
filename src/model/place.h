// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace edgeprobe::model {

/// Location of a value in the file, for messages: "subgraphs[0].tensors[12].shape". The chain
/// points outwards; an outer table or message must outlive its inner places.
struct Place {
  const Place* outer = nullptr;
  const char* field = "";
  std::int64_t index = -1;  ///< Index in a vector; -1 outside of one.
};
std::string path_of(const Place& place);

}  // namespace edgeprobe::model
