// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnose/tokens/change.h"

namespace edgeprobe::diagnose::tokens {

/// Bits of a number that is read off the recording, and of a length.
inline constexpr double kIdBits = 16, kLengthBits = 10, kSmallBits = 4;

/// Collects changes.
class ChangeList {
 public:
  Change& add(CauseKind kind, Part part, std::string words, double weight,
              std::function<void(FrontEnd&)> apply, double read_bits = 0) {
    all_.push_back({kind, part, std::move(words), weight, read_bits, std::move(apply)});
    return all_.back();
  }
  std::vector<Change> take() { return std::move(all_); }

 private:
  std::vector<Change> all_;
};

/// "the text" -> "the text is in lower case": what a change of a text does.
std::string words_of(const text::TextStep& step);

/// Of the text, the tokenizer's flags, and which text of a pair.
void add_text_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
/// Of special ids, length, padding, and the ids themselves. `said`: what the front end makes of the
/// observations.
void add_row_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end,
                     const std::vector<text::Encoding>& said);
/// Ids around each text that the recording shows.
void add_templates(ChangeList& out, const Problem& problem, const FrontEnd& front_end,
                   const std::vector<text::Encoding>& said);
/// What inputs keep of the frame before: the ids or all, and one of the others.
void add_kept_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
void add_kept_changes_of(text::Role role, ChangeList& out, const Problem& problem,
                         const FrontEnd& front_end);
/// Of mask, types or positions.
void add_mask_changes(ChangeList& out, const FrontEnd& front_end);
void add_type_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
void add_position_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);

}  // namespace edgeprobe::diagnose::tokens
