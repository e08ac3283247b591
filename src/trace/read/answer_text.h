// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/bytes.h"
#include "trace/answer.h"

namespace edgeprobe::trace {

/// For people, on one line: "cat 0.91, dog 0.04; no alarm". Lists end after `most` entries (0:
/// all).
std::string to_text(const Answer& answer, std::size_t most);
/// The same of a message, or why it is none; at most 32 entries and about 4 KB.
std::string answer_line(ByteView message);

/// One object of the parts that were given: labels, classes, scores, boxes, mask (height, width,
/// classes), points, vector, score, alarm, text. Numbers that JSON has none for become null.
enum class MaskForm { kWhole, kSize };  ///< With its classes, or height and width alone.
std::string answer_json(const Answer& answer, MaskForm mask = MaskForm::kWhole);
/// The same of a message; without a sound one an object whose `problem` says why.
std::string answer_json(ByteView message);

}  // namespace edgeprobe::trace
