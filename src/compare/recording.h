// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

/// What a recording says of itself that weakens what is read from it.
namespace edgeprobe::compare {

/// A sentence for each: frames that the recorder dropped, a budget or a size that ended it or
/// lowered its level.
std::vector<std::string> shortfalls(const trace::Reader& trace);

/// Whether a tensor holds codes of real numbers: by its scale, or by the operator that made it,
/// never by the bytes of its elements.
bool in_codes(const trace::Channel& channel);

/// Where tensors of one stage have other shapes on both sides: "the model inputs are 1x48x48x3 and
/// 1x64x64x3", reference first; else empty.
std::string unlike_tensors(const trace::Reader& reference, const trace::Reader& target);

/// Why the traces have no outputs in common, where they tell: their shapes, or pictures_apart().
/// Else empty.
std::string why_uncompared(const trace::Reader& reference, const trace::Reader& target);

/// Where the pictures lie in other frames than the model's tensors: which, and what to do. Nothing
/// where a frame has both, or one kind is not there. Reads no more than the first thousand frames.
std::optional<std::string> pictures_apart(const trace::Reader& trace);

}  // namespace edgeprobe::compare
