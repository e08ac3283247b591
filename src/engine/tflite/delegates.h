// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engine.h"
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// Another party's delegate with the function that destroys it, which must run after the
/// interpreter is destroyed.
struct OwnedDelegate {
  CDelegate* delegate = nullptr;
  void (*destroy)(CDelegate*) = nullptr;
  std::string name;
};

/// Creates the requested delegate: from a plug-in, or TFLite's own for GPU or NNAPI, from `own`
/// (the engine's library) unless another one is named. kUnsupported, naming missing symbols and the
/// library, if it is not available. A GPU or NNAPI delegate may compute in 16-bit floats only with
/// Precision::kEngine.
Result<OwnedDelegate> create_delegate(const SharedLibrary& own, const Delegate& wanted,
                                      Precision precision);

}  // namespace edgeprobe::engine::tflite
