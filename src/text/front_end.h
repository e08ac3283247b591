// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The steps from a text to a model's integer inputs, as a value. Tokenizers are run, never
/// reimplemented: their own processing of a text is not included.
namespace edgeprobe::text {

/// Changes of a text before tokenization, defined by Python's str and unicodedata.
enum class Change {
  kLower,
  kUpper,
  kStripAccents,  ///< Remove combining marks (Mn) of the decomposed text, like BERT's tokenizer.
  kNfc,
  kNfd,
  kNfkc,
  kCollapse,       ///< Collapse runs of white space to one space; none at the ends.
  kStrip,          ///< Strip white space at the ends.
  kOneLine,        ///< Replace line feeds by spaces.
  kNoPunctuation,  ///< Remove characters of the categories P*.
  kAscii,          ///< Remove characters beyond U+007F.
  kLatin1,         ///< Read UTF-8 as Latin-1.
  kEscaped,        ///< Escape as in a JSON string, beyond U+007F as \uXXXX.
  kPrefix,         ///< Prepend `text`.
  kSuffix,         ///< Append `text`.
};
struct TextStep {
  Change change = Change::kLower;
  std::string text;  ///< UTF-8; only for a prefix or suffix.
  bool operator==(const TextStep&) const = default;
};

enum class Side { kRight, kLeft };
/// Selects the parts of a text pair to tokenize.
enum class Pair { kBoth, kSwapped, kFirst, kSecond };

/// Ids before and after the tokens: CLS and SEP, BOS and EOS. An absent one has no id. The counts
/// are 1 except in faults.
struct Special {
  std::optional<std::int64_t> first, last;
  int firsts = 1, lasts = 1;
  int between = 1;       ///< Number of `last` between two texts: 2 for RoBERTa.
  bool bos_eos = false;  ///< Named BOS and EOS; false: CLS and SEP.
  bool operator==(const Special&) const = default;
};

struct Truncate {
  std::int64_t length = 0;  ///< Number of tokens, including special ones.
  Side side = Side::kRight;
  bool cuts_special = false;  ///< A fault: truncation after the special ids were added.
  bool operator==(const Truncate&) const = default;
};

struct Pad {
  std::int64_t length = 0;
  std::int64_t id = 0;
  Side side = Side::kRight;
  bool operator==(const Pad&) const = default;
};

/// attention_mask. All except the first are faults.
enum class Mask { kTokens, kOnes, kZeros, kInverted, kOtherSide };

/// token_type_ids: 0 for the first text, 1 for the second one, 0 for padding. If `value` is set,
/// all of them have this value.
struct Types {
  std::optional<std::int64_t> value;
  bool operator==(const Types&) const = default;
};

/// position_ids: `first` + slot, or `first` + number of preceding tokens, with `padding` for
/// padding.
struct Positions {
  std::int64_t first = 0;
  std::optional<std::int64_t> padding;
  bool operator==(const Positions&) const = default;
};

/// How the bytes of ids are read; all except the first are faults.
enum class Memory {
  kAsDeclared,
  kPairs,  ///< 64-bit ids read as 32-bit: a 0 follows each, the second half is lost.
};

/// Steps in order. An input that the model lacks is absent.
struct FrontEnd {
  std::vector<TextStep> before;
  std::string edit;  ///< A changed flag of the tokenizer: one of its `edits`; empty: unchanged.
  Pair pair = Pair::kBoth;
  std::int64_t shift = 0;                 ///< Added to every token's id.
  std::vector<std::int64_t> front, back;  ///< Additional ids around the tokens: a template.
  Special special;
  std::optional<Truncate> truncate;
  std::optional<Pad> pad;
  Memory memory = Memory::kAsDeclared;
  std::optional<Mask> mask;
  std::optional<Types> types;
  std::optional<Positions> positions;
  /// Names of the model's inputs, if given.
  std::string ids_input, mask_input, types_input, positions_input;
  bool operator==(const FrontEnd&) const = default;
};

/// Ids of one text, without special ones; one list for each part of a pair.
using Tokens = std::vector<std::vector<std::int64_t>>;

/// The inputs of a model, all of equal length.
struct Encoding {
  std::vector<std::int64_t> ids, mask, types, positions;  ///< Empty if FrontEnd has none.
  bool operator==(const Encoding&) const = default;
};

}  // namespace edgeprobe::text
