// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// In the order of Split::Kind, as plans write them.
inline constexpr std::array kSplitKinds{"pair", "channels", "rows"};

inline const char* name(Split::Kind kind) { return kSplitKinds[static_cast<std::size_t>(kind)]; }

}  // namespace edgeprobe::stretch
