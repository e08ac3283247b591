// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task/task.h"

namespace edgeprobe::task {

/// One class for each frame: right or wrong, accuracies with Wilson's interval, the exact McNemar
/// test.
extern const Task kClassification;

}  // namespace edgeprobe::task
