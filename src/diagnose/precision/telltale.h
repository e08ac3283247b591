// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "diagnose/case/case.h"
#include "diagnose/precision/recording.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// Recorded float32 layers whose values could tell, and those that hold one format's alone.
struct Stored {
  std::size_t layers = 0, float16 = 0, bfloat16 = 0;
  std::string first;
};

/// Layers that hold numbers of one narrow format alone.
struct Telltale {
  precision::Scheme scheme{};
  std::size_t narrow = 0;
  Stored target;
  bool reference_recorded = false;
};

/// The recorded float32 layers hold numbers of float16 or bfloat16 alone and the reference's do
/// not.
Result<std::optional<Telltale>> stored_telltale(const Case& known, const Control& control);

/// Kernels that multiply lie off the host's on their own recorded inputs by what rounded operands
/// do; nothing when none was judged. Which format that is, and whether it is one, only emulation
/// tells.
std::optional<bool> judged_products_are_off(const layers::Analysis& analysis);
/// The same by running some of them now.
Result<bool> products_are_off(Recording& recorded, const Control& control);

}  // namespace edgeprobe::diagnose
