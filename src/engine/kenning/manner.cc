// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/manner.h"

#include <array>

namespace edgeprobe::engine::kenning {
namespace {

using protocol::Generation;

constexpr std::array kManners{
    Manner{"g1", Generation::kG1, false, false},
    Manner{"g1-iospec", Generation::kG1, true, false},
    Manner{"g2", Generation::kG2, true, false},
    Manner{"g3", Generation::kG3, true, false},
    Manner{"g3-late", Generation::kG3Late, true, false},
    Manner{"g4", Generation::kG4, true, false},
};

}  // namespace

std::optional<Manner> manner_from_name(std::string_view name) {
  for (const Manner& manner : kManners)
    if (name == manner.name) return manner;
  return std::nullopt;
}

}  // namespace edgeprobe::engine::kenning
