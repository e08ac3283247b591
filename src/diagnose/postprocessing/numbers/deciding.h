// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/numbers/frame.h"
#include "postprocess/anomaly/recipe.h"
#include "postprocess/embedding/recipe.h"

/// What a further frame must have on which two recipes give numbers that can be told apart.
namespace edgeprobe::diagnose::numbers {

/// Whether the vectors, or the scores and alarms, of a frame's tensors are so unlike that the app's
/// would say which of the two recipes it is.
bool differ(const postprocess::embedding::Recipe& a, const postprocess::embedding::Recipe& b,
            const RecordedFrame& frame);
bool differ(const postprocess::anomaly::Recipe& a, const postprocess::anomaly::Recipe& b,
            const RecordedFrame& frame);

/// An input on which they are, in words: "an input with more padding". Each kind but thresholds is
/// tried on a frame that is made up of a recorded one. Empty: none of the kinds that are known.
std::string deciding_input(const postprocess::embedding::Recipe& a,
                           const postprocess::embedding::Recipe& b,
                           std::span<const RecordedFrame> frames);
std::string deciding_input(const postprocess::anomaly::Recipe& a,
                           const postprocess::anomaly::Recipe& b,
                           std::span<const RecordedFrame> frames);

}  // namespace edgeprobe::diagnose::numbers
