// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// Reads the whole file. Failures stay in `reader`.
Model read_model(WireReader& reader);

}  // namespace edgeprobe::model::onnx
