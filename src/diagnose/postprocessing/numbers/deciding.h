// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/numbers/frame.h"
#include "postprocess/anomaly/recipe.h"
#include "postprocess/embedding/recipe.h"

/// Properties of further frames on which two recipes give distinguishable numbers.
namespace edgeprobe::diagnose::numbers {

/// True if the vectors, or scores and alarms, of two recipes differ so much on a frame's tensors
/// that the app's would distinguish them.
bool differ(const postprocess::embedding::Recipe& a, const postprocess::embedding::Recipe& b,
            const RecordedFrame& frame);
bool differ(const postprocess::anomaly::Recipe& a, const postprocess::anomaly::Recipe& b,
            const RecordedFrame& frame);

/// An input on which they differ, in words: "an input with more padding". Tries each kind except
/// thresholds on a modified recorded frame. Empty: no known kind.
std::string deciding_input(const postprocess::embedding::Recipe& a,
                           const postprocess::embedding::Recipe& b,
                           std::span<const RecordedFrame> frames);
std::string deciding_input(const postprocess::anomaly::Recipe& a,
                           const postprocess::anomaly::Recipe& b,
                           std::span<const RecordedFrame> frames);

}  // namespace edgeprobe::diagnose::numbers
