// SPDX-License-Identifier: Apache-2.0
// Any bytes as what the process says that runs a user's pipeline function.
#include <cstdint>
#include <cstdlib>
#include <set>

#include "pipeline/function/wire.h"

using namespace edgeprobe;
namespace wire = edgeprobe::pipeline::function_wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView body(reinterpret_cast<const std::byte*>(data), size);
  if (const auto hello = wire::parse_hello(body); !hello && hello.error().what.empty())
    std::abort();
  const auto arrays = wire::parse_answer(body);
  if (!arrays) {
    if (arrays.error().what.empty()) std::abort();
    return 0;
  }
  std::set<std::string> names;
  for (const Tensor& array : *arrays) {
    const auto bytes = array.spec.byte_size();
    if (!bytes || *bytes != array.bytes.size() || array.spec.name.empty() ||
        !names.insert(array.spec.name).second)
      std::abort();
  }
  return 0;
}
