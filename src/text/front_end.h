// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What stands between a text and the integer inputs of a model, as a value. Tokenizers are run,
/// never rewritten: what they do to a text is no part of it.
namespace edgeprobe::text {

/// What is done to a text before it is tokenized, by Python's str and unicodedata.
enum class Change {
  kLower,
  kUpper,
  kStripAccents,  ///< Without combining marks (Mn) of the decomposed text, as BERT's tokenizer.
  kNfc,
  kNfd,
  kNfkc,
  kCollapse,       ///< Runs of white space become one space; none at the ends.
  kStrip,          ///< No white space at the ends.
  kOneLine,        ///< Line feeds become spaces.
  kNoPunctuation,  ///< Without characters of the categories P*.
  kAscii,          ///< Without characters beyond U+007F.
  kLatin1,         ///< UTF-8 read as Latin-1.
  kEscaped,        ///< As JSON writes it between its quotes, beyond U+007F as \uXXXX.
  kPrefix,         ///< `text` in front.
  kSuffix,         ///< `text` behind.
};
struct TextStep {
  Change change = Change::kLower;
  std::string text;  ///< UTF-8; of a prefix and a suffix alone.
  bool operator==(const TextStep&) const = default;
};

enum class Side { kRight, kLeft };
/// Of a text pair, which parts are tokenized.
enum class Pair { kBoth, kSwapped, kFirst, kSecond };

/// Ids in front of the tokens and behind them: CLS and SEP, BOS and EOS. One that is absent has no
/// id. The counts are 1 but for faults.
struct Special {
  std::optional<std::int64_t> first, last;
  int firsts = 1, lasts = 1;
  int between = 1;       ///< `last` so many times between two texts: 2 for RoBERTa.
  bool bos_eos = false;  ///< They are called BOS and EOS, else CLS and SEP.
  bool operator==(const Special&) const = default;
};

struct Truncate {
  std::int64_t length = 0;  ///< Tokens, special ones included.
  Side side = Side::kRight;
  bool cuts_special = false;  ///< A fault: cut off after the special ids were added.
  bool operator==(const Truncate&) const = default;
};

struct Pad {
  std::int64_t length = 0;
  std::int64_t id = 0;
  Side side = Side::kRight;
  bool operator==(const Pad&) const = default;
};

/// attention_mask. All but the first are faults.
enum class Mask { kTokens, kOnes, kZeros, kInverted, kOtherSide };

/// token_type_ids: by text 0, and 1 from the second text on; padding 0. `value`: that one
/// everywhere.
struct Types {
  std::optional<std::int64_t> value;
  bool operator==(const Types&) const = default;
};

/// position_ids: `first` + slot, or `first` + number of tokens before, with `padding` at padding.
struct Positions {
  std::int64_t first = 0;
  std::optional<std::int64_t> padding;
  bool operator==(const Positions&) const = default;
};

/// How the bytes of ids are read; all but the first are faults.
enum class Memory {
  kAsDeclared,
  kPairs,  ///< 64-bit ids taken for 32-bit ones: a 0 behind each, the second half lost.
};

/// Steps in their order. An input that the model does not have is absent.
struct FrontEnd {
  std::vector<TextStep> before;
  std::string edit;  ///< A changed flag of the tokenizer: one of its `edits`; empty: as it is.
  Pair pair = Pair::kBoth;
  std::int64_t shift = 0;                 ///< Added to every token's id.
  std::vector<std::int64_t> front, back;  ///< Further ids around the tokens: a template.
  Special special;
  std::optional<Truncate> truncate;
  std::optional<Pad> pad;
  Memory memory = Memory::kAsDeclared;
  std::optional<Mask> mask;
  std::optional<Types> types;
  std::optional<Positions> positions;
  /// Names of the model's inputs, where they are given.
  std::string ids_input, mask_input, types_input, positions_input;
  bool operator==(const FrontEnd&) const = default;
};

/// Ids of one text, without special ones; one for each part of a pair.
using Tokens = std::vector<std::vector<std::int64_t>>;

/// The inputs of a model, each of one length.
struct Encoding {
  std::vector<std::int64_t> ids, mask, types, positions;  ///< Empty where FrontEnd has none.
  bool operator==(const Encoding&) const = default;
};

}  // namespace edgeprobe::text
