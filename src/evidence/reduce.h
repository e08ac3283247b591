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

/// A device, and the host that says what is right.
struct Sides {
  const layers::Host& device;
  const layers::Host& host;
};

struct ReduceOptions {
  std::size_t wanted_bytes = 10'000;  ///< Of the file; it is not made smaller once it is below.
  std::size_t most_runs = 120;        ///< On the device.
};

/// Evidence as small as it could be made, with the same fault.
struct Reduced {
  Evidence evidence;  ///< Without source and environment.
  Bytes file;
  std::size_t runs = 0;  ///< On the device.
};

/// Cuts `part` out of the model and makes it smaller while the device still differs from the host:
/// nothing of other layers, smaller shapes, zeros in place of input values and constants, values
/// with fewer digits. `inputs` are those of the part, of one frame. kNotFound when the device and
/// the host agree on the part alone. A stop keeps what was reached.
Result<Reduced> reduce(const Sides& sides, const layers::ModelFile& model, const model::Part& part,
                       const std::vector<Tensor>& inputs, const Evidence& about,
                       const ReduceOptions& options, const Control& control);

}  // namespace edgeprobe::evidence
