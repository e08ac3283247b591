// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset/raw_input.h"
#include "why/answer.h"

namespace edgeprobe::why {

/// Two dumps of one tensor, and the source picture of both if known.
struct Question {
  TensorView app, reference;
  const dataset::Picture* picture = nullptr;
};

/// Names the cause if only one explanation reproduces every value; if not, states what would
/// decide. Fails for tensors without numbers.
Result<Answer> why(const Question& question);

}  // namespace edgeprobe::why
