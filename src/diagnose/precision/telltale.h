// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "diagnose/case/case.h"
#include "diagnose/precision/recording.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// Number of recorded float32 layers with enough distinct values, and of those that hold only
/// numbers of one format.
struct Stored {
  std::size_t layers = 0, float16 = 0, bfloat16 = 0;
  std::string first;
};

/// Layers that hold only numbers of one narrow format.
struct Telltale {
  precision::Scheme scheme{};
  std::size_t narrow = 0;
  Stored target;
  bool reference_recorded = false;
};

/// Set if the recorded float32 layers contain only float16 or bfloat16 numbers and the reference's
/// do not.
Result<std::optional<Telltale>> stored_telltale(const Case& known, const Control& control);

/// True if products differ from the host's results on the same recorded inputs by as much as
/// rounded operands cause; nothing if no product was judged. Only emulation shows whether a format
/// causes this, and which one.
std::optional<bool> judged_products_are_off(const layers::Analysis& analysis);
/// The same, found by running some of the products now.
Result<bool> products_are_off(Recording& recorded, const Control& control);

}  // namespace edgeprobe::diagnose
