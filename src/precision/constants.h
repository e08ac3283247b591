// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "layers/replay/fragment.h"
#include "precision/step/step.h"
#include "precision/step/tail.h"
#include "precision/sums/number_format.h"

namespace edgeprobe::precision {

/// A model file with the constants as a device stores them.
struct StoredConstants {
  Bytes file;
  std::size_t unrounded = 0;   ///< Constants whose bytes are not in the file.
  std::size_t overflowed = 0;  ///< Constants that became infinite in the scheme.
};

/// The file with its float32 constants rounded to a scheme other than kInt8. Weights are rounded
/// with a batch norm folded in where engines do so; a bias folded into the norm's own changes
/// together with it, by the rounding error of both.
Result<StoredConstants> stored_constants(const layers::ModelFile& model,
                                         const std::vector<Step>& steps,
                                         const std::vector<Tail>& tails, Scheme scheme);

}  // namespace edgeprobe::precision
