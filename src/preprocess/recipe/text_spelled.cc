// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "core/text.h"
#include "preprocess/recipe/recipe_of_text.h"
#include "preprocess/recipe/text_words.h"

namespace edgeprobe::preprocess {
namespace {

template <class T, std::size_t N>
std::string word(const std::array<Word<T>, N>& words, T value) {
  return std::string(word_of(words, value));
}

/// Between quotes; what the recipe language or a terminal would misread is a byte in digits.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f &&
        std::string_view("\"\\|,:=()[]#").find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), "\\x%02x", unsigned{byte});
    out += digits.data();
  }
  return out + "\"";
}

constexpr std::array kMeanings{"lower case",
                               "upper case",
                               "accents stripped",
                               "Unicode's form NFC",
                               "Unicode's form NFD",
                               "Unicode's form NFKC",
                               "white space collapsed",
                               "white space at the ends stripped",
                               "line feeds to spaces",
                               "punctuation dropped",
                               "what is beyond ASCII dropped",
                               "UTF-8 read as Latin-1",
                               "escaped as in JSON",
                               "a text in front",
                               "a text behind"};

Spelled spelled_change(const text::TextStep& step) {
  const std::string meaning = kMeanings[static_cast<std::size_t>(step.change)];
  for (const auto& [name, change] : kTextAroundWords)
    if (change == step.change) return {std::string(name) + "(" + quoted(step.text) + ")", meaning};
  return {word(kTextChangeWords, step.change), meaning};
}

/// "name" or "name(a, b)".
class Spelling {
 public:
  explicit Spelling(std::string name) : name_(std::move(name)) {}
  void add(const std::string& argument) { inside_ += (inside_.empty() ? "" : ", ") + argument; }
  void add(const char* key, const std::string& value) { add(std::string(key) + "=" + value); }
  std::string text() const { return inside_.empty() ? name_ : name_ + "(" + inside_ + ")"; }

 private:
  std::string name_, inside_;
};

std::string list_text(const std::vector<std::int64_t>& ids) {
  std::string out;
  for (const std::int64_t id : ids) out += (out.empty() ? "" : ", ") + std::to_string(id);
  return "[" + out + "]";
}

Spelled spelled_tokenize(const text::FrontEnd& f) {
  Spelling step("tokenize");
  if (!f.edit.empty()) step.add("edit", f.edit);
  if (f.pair != text::Pair::kBoth) step.add("pair", word(kPairWords, f.pair));
  if (f.shift != 0) step.add("shift", std::to_string(f.shift));
  if (!f.front.empty()) step.add("front", list_text(f.front));
  if (!f.back.empty()) step.add("back", list_text(f.back));
  if (f.memory != text::Memory::kAsDeclared) step.add("memory", word(kTokenMemoryWords, f.memory));
  if (!f.ids_input.empty()) step.add("input", f.ids_input);
  return {step.text(), "ids of the tokenizer, without special ones"};
}

Spelled spelled_special(const text::Special& s) {
  Spelling step("special");
  const char *first = s.bos_eos ? "bos" : "cls", *last = s.bos_eos ? "eos" : "sep";
  if (s.first) step.add(first, std::to_string(*s.first));
  if (s.last) step.add(last, std::to_string(*s.last));
  if (s.firsts != 1) step.add((std::string(first) + "_times").c_str(), std::to_string(s.firsts));
  if (s.lasts != 1) step.add((std::string(last) + "_times").c_str(), std::to_string(s.lasts));
  if (s.between != 1) step.add("between", std::to_string(s.between));
  return {step.text(), "special ids in front and behind"};
}

Spelled spelled_truncate(const text::Truncate& t) {
  Spelling step("truncate");
  step.add(std::to_string(t.length));
  if (t.side != text::Side::kRight) step.add("side", word(kTextSideWords, t.side));
  if (t.cuts_special) step.add("special", word(kSpecialCutWords, t.cuts_special));
  return {step.text(), "at most " + std::to_string(t.length) + " tokens, cut off on the " +
                           word(kTextSideWords, t.side)};
}

Spelled spelled_pad(const text::Pad& p) {
  Spelling step("pad");
  step.add(std::to_string(p.length));
  if (p.id != 0) step.add("id", std::to_string(p.id));
  if (p.side != text::Side::kRight) step.add("side", word(kTextSideWords, p.side));
  return {step.text(), "filled up to " + std::to_string(p.length) + " with id " +
                           std::to_string(p.id) + " on the " + word(kTextSideWords, p.side)};
}

}  // namespace

std::vector<Spelled> spelled_text(const text::FrontEnd& f) {
  std::vector<Spelled> steps;
  for (const text::TextStep& step : f.before) steps.push_back(spelled_change(step));
  steps.push_back(spelled_tokenize(f));
  if (f.special.first || f.special.last) steps.push_back(spelled_special(f.special));
  if (f.truncate) steps.push_back(spelled_truncate(*f.truncate));
  if (f.pad) steps.push_back(spelled_pad(*f.pad));
  if (f.mask) {
    Spelling step("mask");
    if (*f.mask != text::Mask::kTokens) step.add(word(kMaskWords, *f.mask));
    if (!f.mask_input.empty()) step.add("input", f.mask_input);
    steps.push_back({step.text(), "1 for a token, 0 for padding"});
  }
  if (f.types) {
    Spelling step("types");
    if (f.types->value) step.add(std::to_string(*f.types->value));
    if (!f.types_input.empty()) step.add("input", f.types_input);
    steps.push_back({step.text(), "which of the texts a token is from"});
  }
  if (f.positions) {
    Spelling step("positions");
    if (f.positions->first != 0 || f.positions->padding)
      step.add(std::to_string(f.positions->first));
    if (f.positions->padding) step.add("padding", std::to_string(*f.positions->padding));
    if (!f.positions_input.empty()) step.add("input", f.positions_input);
    steps.push_back(
        {step.text(), f.positions->padding ? "place among the tokens" : "place in the row"});
  }
  return steps;
}

}  // namespace edgeprobe::preprocess
