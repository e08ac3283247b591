// SPDX-License-Identifier: Apache-2.0
// Any text as a configuration: an error, or a network within the limits whose counts are finite.
#include <cstdint>
#include <cstdlib>

#include "core/bytes.h"
#include "family/count.h"
#include "family/picture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace family = edgeprobe::family;
  const edgeprobe::ByteView text(reinterpret_cast<const std::byte*>(data), size);
  const auto read = family::read_configuration(text.text(), "fuzz.yaml");
  if (!read) return 0;
  const auto network = family::build(*read, {});
  if (!network) return 0;
  const family::Count count = family::count_of(*network);
  if (!(count.parameters > 0) || !(count.macs > 0) || count.macs > 10e9) std::abort();
  for (const family::Layer& layer : network->layers)
    if (layer.channels < 1 || layer.height < 1 || layer.channels_in % layer.groups != 0)
      std::abort();
  static_cast<void>(family::to_json(*network));
  static_cast<void>(family::picture(*network));
  return 0;
}
