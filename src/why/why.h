// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset/raw_input.h"
#include "why/answer.h"

namespace edgeprobe::why {

/// Two dumps of one tensor, and the picture that both were made of where it is known.
struct Question {
  TensorView app, reference;
  const dataset::Picture* picture = nullptr;
};

/// Names what makes them differ when only one explanation gives every value, else says what would
/// decide. Fails for tensors that hold no numbers.
Result<Answer> why(const Question& question);

}  // namespace edgeprobe::why
