// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/change_list.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"
#include "preprocess/recipe/text_steps.h"
#include "recipe/read.h"

namespace edgeprobe::diagnose::tokens {
namespace {

struct TextWords {
  text::TextStep step;
  const char* does;  ///< "the app …".
  double weight;
};

const std::vector<TextWords>& text_words() {
  using C = text::Change;
  static const std::vector<TextWords> words{
      {{C::kLower, ""}, "lowers the text", 1.2},
      {{C::kStripAccents, ""}, "strips accents from the text", 1.25},
      {{C::kCollapse, ""}, "collapses white space", 1.3},
      {{C::kStrip, ""}, "strips white space at the ends", 1.32},
      {{C::kNfkc, ""}, "brings the text into Unicode's form NFKC", 1.35},
      {{C::kNfc, ""}, "brings the text into Unicode's form NFC", 1.4},
      {{C::kNfd, ""}, "brings the text into Unicode's form NFD", 1.4},
      {{C::kPrefix, " "}, "puts a space before the text", 1.45},
      {{C::kSuffix, "\n"}, "leaves a line feed after the text", 1.5},
      {{C::kOneLine, ""}, "turns line feeds into spaces", 1.55},
      {{C::kNoPunctuation, ""}, "drops punctuation", 1.6},
      {{C::kUpper, ""}, "turns the text into capitals", 1.65},
      {{C::kAscii, ""}, "drops what is beyond ASCII", 1.7},
      {{C::kLatin1, ""}, "reads UTF-8 as Latin-1", 1.7},
      {{C::kEscaped, ""}, "leaves JSON's escapes in the text", 1.75},
  };
  return words;
}

bool is_around(const text::TextStep& step) {
  return step.change == text::Change::kPrefix || step.change == text::Change::kSuffix;
}

/// True if a step changes a template's own characters, or its junction with the text, in a way that
/// it does not change the text by itself.
bool reaches(const text::TextStep& step, const std::string& around) {
  const auto has = [&](auto is) { return std::any_of(around.begin(), around.end(), is); };
  const bool foreign = has([](char c) { return static_cast<unsigned char>(c) > 127; });
  switch (step.change) {
    using enum text::Change;
    case kPrefix:
    case kSuffix:
    case kStrip: return true;
    case kLower: return foreign || has([](char c) { return c >= 'A' && c <= 'Z'; });
    case kUpper: return foreign || has([](char c) { return c >= 'a' && c <= 'z'; });
    case kNoPunctuation: return foreign || has([](char c) { return std::ispunct(c) != 0; });
    case kOneLine:
    case kCollapse: return has([](char c) { return c == '\n' || c == '\t'; });
    case kEscaped: return foreign || has([](char c) { return c == '"' || c == '\\' || c < ' '; });
    default: return foreign;
  }
}

void add_text(ChangeList& out, const FrontEnd& f) {
  // Steps applied before a template is added do not change the template.
  std::string around;
  for (const text::TextStep& step : f.before)
    if (is_around(step)) around += step.text;
  const bool has_template = !around.empty();
  for (const TextWords& one : text_words()) {
    const std::string words = std::string("the app ") + one.does + "; the reference does not";
    if (has_template)
      out.add(CauseKind::kTextNormalization, Part::kText, words, one.weight,
              [step = one.step](FrontEnd& to) { to.before.insert(to.before.begin(), step); });
    if (has_template && !reaches(one.step, around)) continue;
    if (!f.before.empty() && f.before.back() == one.step) continue;
    out.add(CauseKind::kTextNormalization, Part::kText,
            has_template ? words + " (after the template)" : words,
            has_template ? one.weight + 0.01 : one.weight,
            [step = one.step](FrontEnd& to) { to.before.push_back(step); });
  }
  for (std::size_t i = 0; i < f.before.size(); ++i) {
    out.add(is_around(f.before[i]) ? CauseKind::kTextTemplate : CauseKind::kTextNormalization,
            Part::kStep,
            "the app does not do what the reference does to the text: " + words_of(f.before[i]), 1,
            [i](FrontEnd& to) {
              if (i < to.before.size())
                to.before.erase(to.before.begin() + static_cast<std::ptrdiff_t>(i));
            });
  }
}

/// Describes a flag of tokenizer.json; falls back to the flag itself.
std::string words_of_edit(const std::string& edit) {
  static const std::map<std::string, std::string> words{
      {"case_kept", "keeps capitals, which the reference's lowers"},
      {"lowercase", "lowers the text, which the reference's does not"},
      {"accents_kept", "keeps accents, which the reference's strips"},
      {"accents_stripped", "strips accents, which the reference's keeps"},
      {"case_and_accents_kept", "keeps capitals and accents, which the reference's removes"},
      {"text_not_normalized", "does not normalise the text, as the reference's does"},
      {"no_clean_text", "keeps control characters, which the reference's removes"},
      {"chinese_not_split", "does not split Chinese characters, as the reference's does"},
      {"no_prefix_space", "puts no space before it, as the reference's does"},
      {"prefix_space", "puts a space before it, which the reference's does not"},
      {"added_tokens_split",
       "splits special tokens written in the text, which the reference's "
       "takes whole"},
      {"merges_ignored", "knows no merges, as with only the vocabulary file"},
      {"words_not_split", "does not split the text into words first, as the reference's does"},
      {"split_at_blanks", "splits the text at blanks only, the reference's at punctuation, too"},
      {"word_pieces_alone",
       "splits the text at blanks only and does not normalise it: word pieces without the basic "
       "tokenisation that the reference's does first"},
      {"digits_split", "splits numbers into digits, which the reference's does not"},
  };
  const auto at = words.find(edit);
  return at == words.end() ? "has the flag " + sanitized(edit, 60) : at->second;
}

bool is_of_normalizer(const std::string& edit) {
  constexpr std::array kOthers{"added_tokens_split", "merges_ignored", "words_not_split",
                               "no_prefix_space",    "prefix_space",   "split_at_blanks",
                               "word_pieces_alone",  "digits_split"};
  return std::find(kOthers.begin(), kOthers.end(), edit) == kOthers.end();
}

void add_edits(ChangeList& out, const Problem& problem, const FrontEnd& f) {
  double weight = 1;
  for (const std::string& edit : problem.edits()) {
    weight += 0.02;
    if (edit == f.edit) continue;
    out.add(is_of_normalizer(edit) ? CauseKind::kTextNormalization : CauseKind::kTokenizer,
            Part::kEdit, "the app's tokenizer " + words_of_edit(edit), weight,
            [edit](FrontEnd& to) { to.edit = edit; });
  }
}

void add_pair(ChangeList& out, const Problem& problem, const FrontEnd& f) {
  if (!problem.has_pairs()) return;
  for (const recipe::Word& word :
       recipe::find_field(preprocess::text_steps(), "tokenize.pair")->words)
    if (const auto pair = static_cast<text::Pair>(word.value); word.meaning && pair != f.pair)
      out.add(CauseKind::kTextTemplate, Part::kPair, std::string("the app ") + word.meaning, 1.1,
              [pair](FrontEnd& to) { to.pair = pair; });
}

}  // namespace

std::string words_of(const text::TextStep& step) {
  if (is_around(step))
    return std::string("'") + sanitized(step.text, 60) +
           (step.change == text::Change::kPrefix ? "' before it" : "' after it");
  for (const TextWords& one : text_words())
    if (one.step.change == step.change) return std::string("it ") + one.does;
  return "a step";
}

void add_text_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end) {
  add_text(out, front_end);
  add_edits(out, problem, front_end);
  add_pair(out, problem, front_end);
}

}  // namespace edgeprobe::diagnose::tokens
