// SPDX-License-Identifier: Apache-2.0
// Any text as a contract, and as one of its lines. What is read writes a text that reads back the
// same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "contract/file.h"
#include "contract/line/line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace edgeprobe::contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto line = parse_line(text)) {
    if (line->sums.size() != line->orders.size() + 1) std::abort();
    (void)judge(*line, [&](const Name& name) -> Held {
      if (name.text.size() % 3 == 0) return {};
      if (name.text.size() % 3 == 1) return name.text;
      return 1.5;
    });
  } else if (line.error().what.empty()) {
    std::abort();
  }
  const auto contract = contract_from_json(text);
  if (!contract) {
    if (contract.error().what.empty()) std::abort();
    return 0;
  }
  const std::string written = to_json(*contract);
  const auto again = contract_from_json(written);
  if (!again || to_json(*again) != written) std::abort();
  return 0;
}
