// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

/// Properties of a recording that weaken conclusions from it.
namespace edgeprobe::compare {

/// One sentence each: frames that the recorder dropped, a budget or size that stopped it or lowered
/// its level.
std::vector<std::string> shortfalls(const trace::Reader& trace);

/// True if a tensor holds codes of real numbers, judged by its scale or its operator, not by the
/// size of its elements.
bool in_codes(const trace::Channel& channel);

/// If tensors of a stage have different shapes: "the model inputs are 1x48x48x3 and 1x64x64x3",
/// reference first; else empty.
std::string unlike_tensors(const trace::Reader& reference, const trace::Reader& target);

/// Reason why the traces have no outputs in common, if they show it: their shapes, or
/// pictures_apart(). Else empty.
std::string why_uncompared(const trace::Reader& reference, const trace::Reader& target);

/// If pictures and model tensors are in different frames, reports which ones, and what to do.
/// Nothing if a frame has both, or one kind is missing. Reads only the first thousand frames.
std::optional<std::string> pictures_apart(const trace::Reader& trace);

}  // namespace edgeprobe::compare
