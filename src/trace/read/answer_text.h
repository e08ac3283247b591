// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/bytes.h"
#include "trace/answer.h"

namespace edgeprobe::trace {

/// For users, on one line: "cat 0.91, dog 0.04; no alarm". Lists at most `most` entries (0: all).
std::string to_text(const Answer& answer, std::size_t most);
/// The same for a message, or why it is invalid; at most 32 entries and about 4 KB.
std::string answer_line(ByteView message);

/// An object of the recorded parts: labels, classes, scores, boxes, mask (height, width, classes),
/// points, vector, score, alarm, text. Numbers that JSON cannot express become null.
enum class MaskForm { kWhole, kSize };  ///< Whole: with its classes. Size: only height and width.
std::string answer_json(const Answer& answer, MaskForm mask = MaskForm::kWhole);
/// The same for a message; if it is invalid, an object whose `problem` explains why.
std::string answer_json(ByteView message);

}  // namespace edgeprobe::trace
