// SPDX-License-Identifier: Apache-2.0
// Any text as the processors of a device. A plan of what is read writes them and reads them back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "placement/search/device.h"
#include "stretch/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace edgeprobe::stretch;
  const auto device =
      edgeprobe::placement::device_from_text({reinterpret_cast<const char*>(data), size});
  if (!device) {
    if (device.error().what.empty()) std::abort();
    return 0;
  }
  Plan plan;
  plan.format = "onnx";
  plan.processors = *device;
  plan.pieces = {{"all", {"input"}, {"output"}}};
  plan.programs = {{device->front().name, {{Step::Kind::kRun, "all"}}}};
  const auto again = read_plan(to_json(plan));
  if (!again || again->processors != *device) std::abort();
  return 0;
}
