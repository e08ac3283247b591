// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/proof.h"

#include <algorithm>
#include <cmath>

#include "search/proof.h"

namespace edgeprobe::diagnose::tokens {
namespace {

FrontEnd without(const Problem& problem, const Explanation& explanation, std::size_t left) {
  FrontEnd front_end = problem.reference();
  for (std::size_t i = 0; i < explanation.changes.size(); ++i)
    if (i != left) explanation.changes[i].apply(front_end);
  return front_end;
}

double bits_between(const Problem& problem, const text::Encoding& with,
                    const text::Encoding& less) {
  const double length = std::log2(static_cast<double>(std::max<std::size_t>(2, with.ids.size())));
  return static_cast<double>(edits_between(with.ids, less.ids)) * (problem.bits_of_id() + length) +
         static_cast<double>(unlike(with.mask, less.mask) + unlike(with.types, less.types) +
                             unlike(with.positions, less.positions));
}

struct Sample {
  const char* words;
  std::string text;
};

/// Texts that distinguish common front ends, each for one property.
std::vector<Sample> samples(const Problem& problem) {
  std::int64_t length = 16;
  if (problem.reference().truncate)
    length = std::min<std::int64_t>(4096, problem.reference().truncate->length);
  std::string long_text;
  for (std::int64_t i = 0; i < length + 8; ++i)
    long_text += i % 3 == 0 ? "the " : i % 3 == 1 ? "cat " : "and ";
  return {{"a short text", "cat"},
          {"a text with capitals", "The Cat AND the DOG"},
          {"a text with accents", "caf\xc3\xa9 na\xc3\xafve \xc3\xa0 \xc3\xa9t\xc3\xa9"},
          {"a text with capitals that have accents", "\xc3\x89t\xc3\x89 \xc3\x80 LA"},
          {"a text with punctuation", "well, it is: good!"},
          {"a text with two blanks in a row", "two  blanks   here"},
          {"a text that begins with a blank", " a blank"},
          {"a text that ends with a blank", "a blank "},
          {"a text of two lines", "one line\nand another"},
          {"a text with a letter and its accent as two characters", "cafe\xcc\x81"},
          {"a text with ligatures or full-width letters", "\xef\xac\x81n \xef\xbc\xa1\xef\xbc\xa2"},
          {"a text with Chinese characters", "\xe4\xbd\xa0\xe5\xa5\xbd"},
          {"a text with an emoji", "good \xf0\x9f\x98\x80"},
          {"a text that is longer than the limit", long_text}};
}

}  // namespace

void prove(Problem& problem, const std::vector<std::size_t>& of, std::size_t proposed,
           Explanation& explanation) {
  std::vector<search::Proof> proofs;
  const auto with = problem.encode(explanation.front_end);
  for (std::size_t i = 0; i < explanation.changes.size(); ++i) {
    const auto less = problem.encode(without(problem, explanation, i));
    double bits = 0;
    Change& change = explanation.changes[i];
    for (const std::size_t k : of) {
      if (!with || !less) break;
      bits += bits_between(problem, (*with)[k], (*less)[k]);
      if (!((*with)[k] == (*less)[k])) change.shown_by.push_back(k);
    }
    // If data is kept only in some frames, each frame is a choice.
    bits -= change.read_bits + (change.is_of_order ? static_cast<double>(of.size()) : 0);
    proofs.push_back({bits, search::bits_needed(proposed)});
  }
  explanation.proof = search::weakest(proofs, false);
  explanation.is_proven = explanation.proof.spare() >= 0;
}

std::string text_that_decides(Problem& problem, const FrontEnd& a, const FrontEnd& b) {
  if (a.kept != b.kept) return "more texts of other lengths, in a row,";
  for (const Sample& sample : samples(problem)) {
    std::vector<std::string> parts{sample.text};
    if (problem.has_pairs()) parts.emplace_back("another text");
    const auto by_a = problem.encode(a, {parts}), by_b = problem.encode(b, {parts});
    if (by_a && by_b && !(by_a->front() == by_b->front())) return sample.words;
  }
  return "";
}

}  // namespace edgeprobe::diagnose::tokens
