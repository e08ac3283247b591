// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/control.h"
#include "evidence/evidence.h"
#include "layers/replay/fragment.h"
#include "model/cut.h"

namespace edgeprobe::evidence {

/// A device, and the host whose results count as correct.
struct Sides {
  const layers::Host& device;
  const layers::Host& host;
};

struct ReduceOptions {
  std::size_t wanted_bytes = 10'000;  ///< Target size of the file; once below it, stops reducing.
  std::size_t most_runs = 120;        ///< Limit for the number of runs on the device.
};

/// Evidence reduced as far as possible, with the same fault.
struct Reduced {
  Evidence evidence;  ///< Without source and environment.
  Bytes file;
  std::size_t runs = 0;  ///< Number of runs on the device.
};

/// Cuts `part` out of the model and reduces it while the device still differs from the host: no
/// other layers, smaller shapes, zeros instead of input values and constants, values with fewer
/// digits. `inputs` belong to the part and one frame. kNotFound if the device and the host agree on
/// the separate part. A stop keeps the reductions so far.
Result<Reduced> reduce(const Sides& sides, const layers::ModelFile& model, const model::Part& part,
                       const std::vector<Tensor>& inputs, const Evidence& about,
                       const ReduceOptions& options, const Control& control);

}  // namespace edgeprobe::evidence
