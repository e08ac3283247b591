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

/// An app's processing of a text before the model, where it differs from the reference: reproduces
/// the recorded integers exactly, or reports nothing.
namespace edgeprobe::diagnose::tokens {

/// True if an input matches the recording; also if it was not recorded.
bool is_equal(const text::Encoding& said, const text::Encoding& recorded, text::Role role);
bool is_equal(const text::Encoding& said, const text::Encoding& recorded);

/// A recorded frame: its texts, and the model's inputs. Inputs that were not recorded, or that the
/// reference's front end does not make, are empty.
struct Observation {
  std::uint32_t frame = 0;
  std::vector<std::string> texts;
  text::Encoding recorded;
  /// The frame immediately before, if it was recorded.
  struct Before {
    std::vector<std::string> texts;
    text::Encoding recorded;
  };
  std::optional<Before> before = {};
};

/// The reference's tokenizer: returns the ids of every text after these changes, with this flag.
using Tokenize = std::function<Result<std::vector<text::Tokens>>(
    const std::vector<std::vector<std::string>>& texts, const std::vector<text::TextStep>& before,
    const std::string& edit)>;
struct Tokenizer {
  Tokenize encode;
  std::vector<std::string> edits;  ///< Supported flags.
  /// Decodes ids to text; null, or returns "", if the tokenizer cannot decode.
  std::function<std::string(const std::vector<std::int64_t>& ids)> text_of = {};
};

/// The reference's front end, the app's recorded inputs, and a tokenizer; caches tokens.
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
  bool has_before() const;  ///< True if the frame before some observation is known.
  std::string text_of(const std::vector<std::int64_t>& ids) const {
    return tokenizer_.text_of ? tokenizer_.text_of(ids) : std::string();
  }

  /// A front end's inputs for every observation. Fails as the tokenizer does; for instance, a
  /// command rejects texts with two lines.
  Result<std::vector<text::Encoding>> encode(const FrontEnd& front_end);
  /// The same for other texts, not cached.
  Result<std::vector<text::Encoding>> encode(const FrontEnd& front_end,
                                             const std::vector<std::vector<std::string>>& texts);
  /// Bits per id of this vocabulary: log2 of the largest observed id, at least 8.
  double bits_of_id() const;

 private:
  using Key = std::pair<std::vector<std::pair<int, std::string>>, std::string>;
  using Known = std::map<Key, Result<std::vector<text::Tokens>>>;
  /// Tokens of these texts after the front end's text changes.
  const Result<std::vector<text::Tokens>>& tokens_of(
      Known& known, const FrontEnd& front_end, const std::vector<std::vector<std::string>>& texts);
  std::vector<std::vector<std::string>> texts_before() const;

  FrontEnd reference_;
  std::vector<Observation> observations_;
  Tokenizer tokenizer_;
  Known known_, known_before_;
};

/// Number of ids to insert, remove or replace, by the longest common sequence; beyond its size
/// limit a lower bound from the counts of each id.
std::size_t edits_between(const Ids& a, const Ids& b);
/// Number of elements that differ by position; all of them if the lengths differ.
std::size_t unlike(const Ids& a, const Ids& b);

}  // namespace edgeprobe::diagnose::tokens
