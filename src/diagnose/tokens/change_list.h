// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnose/tokens/change.h"

namespace edgeprobe::diagnose::tokens {

/// Cost in bits of an id read off the recording, of a length, and of a small number.
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

/// Describes a change of the text: "the text" -> "the text is in lower case".
std::string words_of(const text::TextStep& step);

/// Changes of the text, of the tokenizer's flags, and of the choice between the texts of a pair.
void add_text_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
/// Changes of special ids, length, padding, and the ids themselves. `said`: the front end's
/// encodings of the observations.
void add_row_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end,
                     const std::vector<text::Encoding>& said);
/// Changes that add ids around each text, as the recording shows.
void add_templates(ChangeList& out, const Problem& problem, const FrontEnd& front_end,
                   const std::vector<text::Encoding>& said);
/// Changes by which inputs keep data of the previous frame: only the ids, all inputs, or one of the
/// others.
void add_kept_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
void add_kept_changes_of(text::Role role, ChangeList& out, const Problem& problem,
                         const FrontEnd& front_end);
/// Changes of mask, types or positions.
void add_mask_changes(ChangeList& out, const FrontEnd& front_end);
void add_type_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);
void add_position_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end);

}  // namespace edgeprobe::diagnose::tokens
