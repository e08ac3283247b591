// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/text_steps.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

#include "recipe/print.h"
#include "recipe/read.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::ids;
using recipe::member;
using recipe::Slip;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;
using T = text::FrontEnd;

constexpr int kLargestId = std::numeric_limits<int>::max(), kMostTokens = 1 << 20;

constexpr std::array kChanges{
    Word{"lower", text::Change::kLower, "lower case"}.planted("lower case"),
    Word{"upper", text::Change::kUpper, "upper case"}.planted("upper case"),
    Word{"strip_accents", text::Change::kStripAccents, "accents stripped"}.planted(
        "accents stripped"),
    Word{"nfc", text::Change::kNfc, "Unicode's form NFC"}.planted("NFC"),
    Word{"nfd", text::Change::kNfd, "Unicode's form NFD"}.planted("NFD"),
    Word{"nfkc", text::Change::kNfkc, "Unicode's form NFKC"}.planted("NFKC"),
    Word{"collapse_spaces", text::Change::kCollapse, "white space collapsed"}.planted(
        "white space collapsed"),
    Word{"strip", text::Change::kStrip, "white space at the ends stripped"}.planted(
        "white space at the ends stripped"),
    Word{"one_line", text::Change::kOneLine, "line feeds to spaces"}.planted(
        "line feeds as spaces"),
    Word{"drop_punctuation", text::Change::kNoPunctuation, "punctuation dropped"}.planted(
        "punctuation removed"),
    Word{"ascii", text::Change::kAscii, "what is beyond ASCII dropped"}.planted(
        "characters beyond ASCII removed"),
    Word{"latin1", text::Change::kLatin1, "UTF-8 read as Latin-1"}.planted("UTF-8 read as Latin-1"),
    Word{"json_escape", text::Change::kEscaped, "escaped as in JSON"}.planted("escaped as in JSON"),
};
constexpr std::array kAround{
    Word{"prefix", text::Change::kPrefix, "a text before"}.planted("the prefix"),
    Word{"suffix", text::Change::kSuffix, "a text after"}.planted("the suffix")};

/// Parses "query\x3a " in quotes; \x.. is one byte. Characters of the recipe language are escaped
/// this way.
Result<std::string> unquoted(const Arguments& arguments, const Argument& argument) {
  const std::string_view value = argument.value;
  if (value.size() < 2 || value.front() != '"' || value.back() != '"')
    return arguments.error(argument.at, "expected a text between double quotes, as \"query \"");
  std::string out;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    if (value[i] != '\\') {
      out += value[i];
      continue;
    }
    unsigned byte = 0;
    const char* const end = value.data() + std::min(i + 4, value.size() - 1);
    const auto read = i + 4 < value.size() && value[i + 1] == 'x'
                          ? std::from_chars(value.data() + i + 2, end, byte, 16)
                          : std::from_chars_result{value.data(), std::errc::invalid_argument};
    if (read.ec != std::errc{} || read.ptr != end)
      return arguments.error(argument.at, "\\ is followed by x and two digits: \\x2c is a comma");
    out += static_cast<char>(byte);
    i += 3;
  }
  return out;
}

/// Quotes the text; bytes that the recipe language or a terminal would misread become hex escapes.
std::string between_quotes(const std::string& text) {
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

Spelled spelled_change(const text::TextStep& change) {
  const int kind = static_cast<int>(change.change);
  if (const Word* const word = recipe::find_word(kAround, kind))
    return {recipe::written(word->text, {between_quotes(change.text)}), word->meaning};
  const Word* const word = recipe::find_word(kChanges, kind);
  return {std::string(word->text), word->meaning};
}

constexpr std::array kPairs{Word{"both", text::Pair::kBoth},
                            Word{"swapped", text::Pair::kSwapped, "exchanges the two texts", 0},
                            Word{"first", text::Pair::kFirst, "leaves the second text out", 1},
                            Word{"second", text::Pair::kSecond, "leaves the first text out", 2}};
constexpr std::array kIdMemories{
    Word{"as_declared", text::Memory::kAsDeclared},
    Word{"int64_as_int32", text::Memory::kPairs}.planted("64-bit ids taken for 32-bit ones")};
constexpr std::array kShiftSlips{Slip{Slip::To::kMore, "ids one too high: another vocabulary"}};
constexpr std::array kTokenize{
    recipe::text("edit", member<&T::edit>),
    word("pair", member<&T::pair>, kPairs),
    whole("shift", member<&T::shift>, -kLargestId, kLargestId).planted(kShiftSlips),
    ids("front", member<&T::front>, kLargestId),
    ids("back", member<&T::back>, kLargestId),
    word("memory", member<&T::memory>, kIdMemories),
    recipe::text("input", member<&T::ids_input>),
};

bool is_bos(const void* f) { return as<T>(f).special.bos_eos; }
bool is_cls(const void* f) { return !is_bos(f); }
bool has_cls(const void* f) { return is_cls(f) && as<T>(f).special.first; }
bool has_sep(const void* f) { return is_cls(f) && as<T>(f).special.last; }
bool has_bos(const void* f) { return is_bos(f) && as<T>(f).special.first; }
bool has_eos(const void* f) { return is_bos(f) && as<T>(f).special.last; }
Status name_bos(const Arguments&, const Argument* given, void* f) {
  if (given) as<T>(f).special.bos_eos = true;
  return {};
}
Status check_special(const Arguments& arguments, const Argument* given, void* f) {
  EP_CHECK(name_bos(arguments, given, f));
  const text::Special& s = as<T>(f).special;
  const bool has_both = s.bos_eos && (arguments.has_taken("cls") || arguments.has_taken("sep"));
  if (!has_both && (s.first || s.last)) return {};
  return arguments.error(arguments.at(),
                         "expected special(cls=ID, sep=ID), or special(bos=ID, eos=ID); one of the "
                         "two may be left out");
}
constexpr recipe::Member kFirstId = member<&T::special, &text::Special::first>,
                         kLastId = member<&T::special, &text::Special::last>,
                         kFirsts = member<&T::special, &text::Special::firsts>,
                         kLasts = member<&T::special, &text::Special::lasts>;
constexpr std::array kNoCls{Slip{Slip::To::kNothing, "no CLS", 0, has_cls}},
    kNoSep{Slip{Slip::To::kNothing, "no SEP", 0, has_sep}},
    kNoBos{Slip{Slip::To::kNothing, "no BOS", 0, has_bos}},
    kNoEos{Slip{Slip::To::kNothing, "no EOS", 0, has_eos}},
    kTwoCls{Slip{Slip::To::kNumber, "CLS twice", 2, has_cls}},
    kTwoSep{Slip{Slip::To::kNumber, "SEP twice", 2, has_sep}},
    kTwoBos{Slip{Slip::To::kNumber, "BOS twice", 2, has_bos}},
    kTwoEos{Slip{Slip::To::kNumber, "EOS twice", 2, has_eos}};
constexpr std::array kSpecial{
    whole("cls", kFirstId, 0, kLargestId).shown_if(has_cls).planted(kNoCls),
    whole("sep", kLastId, 0, kLargestId).shown_if(has_sep).planted(kNoSep),
    whole("bos", kFirstId, 0, kLargestId).shown_if(has_bos).and_then(name_bos).planted(kNoBos),
    whole("eos", kLastId, 0, kLargestId).shown_if(has_eos).and_then(check_special).planted(kNoEos),
    whole("cls_times", kFirsts, 0, 2).only_if(is_cls).planted(kTwoCls),
    whole("bos_times", kFirsts, 0, 2).only_if(is_bos).planted(kTwoBos),
    whole("sep_times", kLasts, 0, 2).only_if(is_cls).planted(kTwoSep),
    whole("eos_times", kLasts, 0, 2).only_if(is_bos).planted(kTwoEos),
    whole("between", member<&T::special, &text::Special::between>, 0, 2),
};

constexpr const char* kOtherEnd = "the beginning cut off, or the end where that is right";
constexpr std::array kCutSides{Word{"right", text::Side::kRight}.planted(kOtherEnd),
                               Word{"left", text::Side::kLeft}.planted(kOtherEnd)};
constexpr std::array kCutWords{Word{"kept", false},
                               Word{"cut", true}.planted("the last special token cut off")};
constexpr std::array kLengthSlips{Slip{Slip::To::kHalf, "cut to half the length"}};
constexpr std::array kTruncate{
    whole("length", member<&T::truncate, &text::Truncate::length>, 1, kMostTokens)
        .needed("a number of tokens")
        .planted(kLengthSlips)
        .always(),
    word("side", member<&T::truncate, &text::Truncate::side>, kCutSides),
    word("special", member<&T::truncate, &text::Truncate::cuts_special>, kCutWords),
};
constexpr const char* kOtherSide = "padding on the other side";
constexpr std::array kPadSides{Word{"right", text::Side::kRight}.planted(kOtherSide),
                               Word{"left", text::Side::kLeft}.planted(kOtherSide)};
bool pads_with_zeros(const void* f) { return as<T>(f).pad->id == 0; }
bool pads_with_others(const void* f) { return !pads_with_zeros(f); }
constexpr std::array kPadIdSlips{
    Slip{Slip::To::kNumber, "another id for padding", 1, pads_with_zeros},
    Slip{Slip::To::kNumber, "another id for padding", 0, pads_with_others}};
constexpr std::array kPadding{
    whole("length", member<&T::pad, &text::Pad::length>, 1, kMostTokens)
        .needed("a number of tokens")
        .always(),
    whole("id", member<&T::pad, &text::Pad::id>, 0, kLargestId).planted(kPadIdSlips),
    word("side", member<&T::pad, &text::Pad::side>, kPadSides),
};

constexpr std::array kMasks{
    Word{"tokens", text::Mask::kTokens},
    Word{"ones", text::Mask::kOnes, "is 1 everywhere, padding included", 0}.planted(
        "the mask is 1 everywhere"),
    Word{"zeros", text::Mask::kZeros, "is 0 everywhere", 2}.planted("the mask is 0 everywhere"),
    Word{"inverted", text::Mask::kInverted, "is inverted: 0 for tokens, 1 for padding", 1}.planted(
        "the mask is 1 for padding"),
    Word{"other_side", text::Mask::kOtherSide, "takes the padding for on the other side than it is",
         3}
        .planted("the mask as if padding were on the other side"),
};
constexpr std::array kMask{
    word("mask", member<&T::mask>, kMasks).positional().shown_if([](const void* f) {
      return as<T>(f).mask != text::Mask::kTokens;
    }),
    recipe::text("input", member<&T::mask_input>),
};

constexpr std::array kTypeSlips{Slip{Slip::To::kNumber, "token types are 0 everywhere", 0},
                                Slip{Slip::To::kNumber, "token types are 1 everywhere", 1}};
constexpr std::array kTypes{
    whole("value", member<&T::types, &text::Types::value>, -kLargestId, kLargestId)
        .positional()
        .planted(kTypeSlips),
    recipe::text("input", member<&T::types_input>),
};

bool has_padding(const void* f) { return as<T>(f).positions->padding.has_value(); }
std::string positions_meaning(const void* f) {
  return has_padding(f) ? "place among the tokens" : "place in the row";
}
constexpr std::array kFirstSlips{Slip{Slip::To::kMore, "positions one too high"}};
constexpr std::array kPaddingSlips{Slip{Slip::To::kNothing, "positions count padding"}};
constexpr std::array kPositions{
    whole("first", member<&T::positions, &text::Positions::first>, -kMostTokens, kMostTokens)
        .positional()
        .planted(kFirstSlips)
        .shown_if([](const void* f) { return as<T>(f).positions->first != 0 || has_padding(f); }),
    whole("padding", member<&T::positions, &text::Positions::padding>, -kMostTokens, kMostTokens)
        .planted(kPaddingSlips),
    recipe::text("input", member<&T::positions_input>),
};

/// A step that is on if it is written, with or without arguments.
template <auto kMember>
Status begin_part(const Arguments&, void* f) {
  (as<T>(f).*kMember).emplace();
  return {};
}
template <auto kMember>
bool has_part(const void* f) {
  return (as<T>(f).*kMember).has_value();
}
template <auto kMember>
constexpr recipe::Step part(std::string_view name, int place,
                            std::span<const recipe::Field> fields) {
  return step(name, place, fields).begun_by(begin_part<kMember>).there_if(has_part<kMember>);
}

constexpr std::array kTextSteps{
    step("tokenize", 0, kTokenize)
        .of_this_kind()
        .there_if(recipe::always)
        .saying("ids of the tokenizer, without special ones"),
    step("special", 1, kSpecial)
        .there_if([](const void* f) { return as<T>(f).special.first || as<T>(f).special.last; })
        .saying("special ids before and after"),
    part<&T::truncate>("truncate", 2, kTruncate)
        .saying("at most {length} tokens, cut off on the {side}"),
    part<&T::pad>("pad", 3, kPadding).saying("filled up to {length} with id {id} on the {side}"),
    part<&T::mask>("mask", 4, kMask).saying("1 for a token, 0 for padding"),
    part<&T::types>("types", 5, kTypes).saying("which of the texts a token is from"),
    part<&T::positions>("positions", 6, kPositions).meant_by(positions_meaning),
};

/// Reads a change of the text; empty for another step.
Result<std::optional<text::TextStep>> read_change(Arguments& arguments, std::string_view name) {
  for (const Word& word : kChanges)
    if (word.text == name)
      return std::optional(text::TextStep{static_cast<text::Change>(word.value), {}});
  for (const Word& word : kAround) {
    if (word.text != name) continue;
    EP_TRY(auto given, arguments.require("a text between double quotes"));
    EP_TRY(auto value, unquoted(arguments, given));
    return std::optional(text::TextStep{static_cast<text::Change>(word.value), std::move(value)});
  }
  return std::optional<text::TextStep>();
}

Error unknown_in_text(const Arguments& arguments, const recipe::StepText& step) {
  std::vector<std::string> known;
  for (const Word& word : kChanges) known.emplace_back(word.text);
  for (const Word& word : kAround) known.emplace_back(word.text);
  for (const recipe::Step& one : kTextSteps) known.emplace_back(one.name);
  Error error = recipe::unknown_step(arguments, step, known);
  error.what +=
      "; tokenize makes this a recipe of text, which steps of pictures or sound do not "
      "mix with";
  return error;
}

/// A step from tokenize on; `last` is the one before it.
Status read_token_step(Arguments& arguments, const recipe::Step& step, const recipe::Step* last,
                       T& f) {
  if (!last && step.place > 0)
    return arguments.error(arguments.at(),
                           std::string(step.name) + " works on tokens: put tokenize before it");
  EP_CHECK(recipe::follows(arguments, step, last));
  return recipe::read_step(arguments, step, &f);
}

}  // namespace

recipe::Steps text_steps() { return kTextSteps; }
recipe::Words text_changes() { return kChanges; }
recipe::Words texts_around() { return kAround; }

recipe::Steps text_rows() {
  static constexpr std::array kTextAround{
      recipe::text("text", {}).needed("a text between double quotes")};
  static const std::vector<recipe::Step> rows = [] {
    std::vector<recipe::Step> all;
    for (const Word& word : kChanges) all.push_back(step(word.text, 0).repeated());
    for (const Word& word : kAround) all.push_back(step(word.text, 0, kTextAround).repeated());
    all.insert(all.end(), kTextSteps.begin(), kTextSteps.end());
    return all;
  }();
  return rows;
}

bool is_of_text(const recipe::RecipeText& recipe) { return recipe::is_of_kind(recipe, kTextSteps); }

Result<Text> read_text(std::string_view text, const recipe::RecipeText& recipe) {
  Text out;
  const recipe::Step* last = nullptr;
  for (const recipe::StepText& one : recipe.steps) {
    Arguments arguments(text, one);
    EP_TRY(auto change, read_change(arguments, one.name));
    const recipe::Step* const known = recipe::find_step(kTextSteps, one.name);
    if (!change && !known) return unknown_in_text(arguments, one);
    if (!change) {
      EP_CHECK(read_token_step(arguments, *known, last, out.front_end));
      last = known;
      continue;
    }
    if (last)
      return arguments.error(one.at,
                             std::string(one.name) + " changes the text: put it before tokenize");
    out.front_end.before.push_back(*std::move(change));
    EP_CHECK(arguments.finish());
  }
  return out;
}

std::vector<Spelled> spelled_text(const text::FrontEnd& f) {
  std::vector<Spelled> steps;
  for (const text::TextStep& change : f.before) steps.push_back(spelled_change(change));
  for (Spelled& one : recipe::spelled(kTextSteps, &f)) steps.push_back(std::move(one));
  return steps;
}

}  // namespace edgeprobe::preprocess
