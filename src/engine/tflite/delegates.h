// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engine.h"
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// A delegate of somebody else, with the function that ends it; the interpreter must be gone by
/// then.
struct OwnedDelegate {
  CDelegate* delegate = nullptr;
  void (*destroy)(CDelegate*) = nullptr;
  std::string name;
};

/// Makes the delegate that was asked for: from a plug-in, or TFLite's own for GPU or NNAPI, out of
/// `own` (the engine's library) unless another one is named. kUnsupported, with the missing symbols
/// and the library, when it is not there. A GPU or NNAPI delegate may compute in 16-bit floats only
/// with Precision::kEngine.
Result<OwnedDelegate> create_delegate(const SharedLibrary& own, const Delegate& wanted,
                                      Precision precision);

}  // namespace edgeprobe::engine::tflite
