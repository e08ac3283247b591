// SPDX-License-Identifier: Apache-2.0
// Any text as --engine: no crash; what is read prints to a text that reads as the same target.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/kinds.h"
#include "engine/target.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto target = target_from_text(text);
  if (!target) {
    if (target.error().what.empty() || engine_choice_from_text(text)) std::abort();
    return 0;
  }
  const bool is_here = target->transport == Transport::kNone;
  if (is_here != (find_kind(target->kind) != nullptr)) std::abort();
  // A library of --plugin has a text only between the program and its engine process.
  const bool is_typed = is_here && target->kind != kind_of(EngineId::kNative).name;
  if (is_typed != engine_choice_from_text(text).has_value()) std::abort();
  const std::string shortest = to_string(*target);
  const auto again = target_from_text(shortest);
  if (!again || *again != *target || to_string(*again) != shortest) std::abort();
  if (shortest.size() > text.size()) std::abort();
  return 0;
}
