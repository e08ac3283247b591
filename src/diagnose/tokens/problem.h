// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "diagnose/tokens/front_end.h"

/// What an app makes of a text before the model, otherwise than the reference does: exactly the
/// recorded integers, or nothing.
namespace edgeprobe::diagnose::tokens {

/// Whether an input is as recorded; one that was not recorded is.
bool is_equal(const text::Encoding& said, const text::Encoding& recorded, text::Role role);
bool is_equal(const text::Encoding& said, const text::Encoding& recorded);

/// A recorded frame: its texts, and the inputs that the model got; those that were not recorded, or
/// that the reference's front end does not make, are empty.
struct Observation {
  std::uint32_t frame = 0;
  std::vector<std::string> texts;
  text::Encoding recorded;
  /// The frame right before, where it was recorded, too.
  struct Before {
    std::vector<std::string> texts;
    text::Encoding recorded;
  };
  std::optional<Before> before = {};
};

/// The reference's tokenizer: ids of every text after these changes, by this flag.
using Tokenize = std::function<Result<std::vector<text::Tokens>>(
    const std::vector<std::vector<std::string>>& texts, const std::vector<text::TextStep>& before,
    const std::string& edit)>;
struct Tokenizer {
  Tokenize encode;
  std::vector<std::string> edits;  ///< Flags that it can be run with.
  /// Decodes ids to text; null, or gives "", if the tokenizer cannot decode.
  std::function<std::string(const std::vector<std::int64_t>& ids)> text_of = {};
};

/// The reference's front end, what the app did, and what tokenizes; remembers tokens.
class Problem {
 public:
  Problem(text::FrontEnd reference, std::vector<Observation> observations, Tokenizer tokenizer)
      : reference_{std::move(reference), {}},
        observations_(std::move(observations)),
        tokenizer_(std::move(tokenizer)) {}

  const FrontEnd& reference() const { return reference_; }
  const std::vector<Observation>& observations() const { return observations_; }
  const std::vector<std::string>& edits() const { return tokenizer_.edits; }
  bool has_pairs() const;
  bool has_before() const;  ///< Of any observation the frame before is known.
  std::string text_of(const std::vector<std::int64_t>& ids) const {
    return tokenizer_.text_of ? tokenizer_.text_of(ids) : std::string();
  }

  /// Inputs of every observation by a front end. Fails as the tokenizer does: a command takes no
  /// text of two lines, for one.
  Result<std::vector<text::Encoding>> encode(const FrontEnd& front_end);
  /// Of other texts, not remembered.
  Result<std::vector<text::Encoding>> encode(const FrontEnd& front_end,
                                             const std::vector<std::vector<std::string>>& texts);
  /// Bits that an id of this vocabulary is worth: of the largest id that was seen, at least 8.
  double bits_of_id() const;

 private:
  using Key = std::pair<std::vector<std::pair<int, std::string>>, std::string>;
  using Known = std::map<Key, Result<std::vector<text::Tokens>>>;
  /// Tokens of these texts after the front end's changes of the text.
  const Result<std::vector<text::Tokens>>& tokens_of(
      Known& known, const FrontEnd& front_end, const std::vector<std::vector<std::string>>& texts);
  std::vector<std::vector<std::string>> texts_before() const;

  FrontEnd reference_;
  std::vector<Observation> observations_;
  Tokenizer tokenizer_;
  Known known_, known_before_;
};

/// How many ids have to be put in, taken out or exchanged, by the longest common sequence; above
/// its limit by the number of each id alone, which is less.
std::size_t edits_between(const Ids& a, const Ids& b);
/// Elements that differ by place; all when the lengths do.
std::size_t unlike(const Ids& a, const Ids& b);

}  // namespace edgeprobe::diagnose::tokens
