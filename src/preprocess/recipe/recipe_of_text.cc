// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe_of_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/text.h"
#include "preprocess/recipe/recipe_arguments.h"
#include "preprocess/recipe/text_words.h"

namespace edgeprobe::preprocess {
namespace {

constexpr int kLargestId = std::numeric_limits<int>::max(), kMostLength = 1 << 20;

/// "query\x3a " between quotes; \x.. stands for a byte. Characters of the recipe language are
/// written so.
Result<std::string> quoted(const Arguments& arguments, const Argument& argument) {
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

/// Reads the arguments of one step; what fails first is kept.
class Taker {
 public:
  explicit Taker(Arguments& arguments) : arguments_(arguments) {}

  std::optional<std::int64_t> whole(std::string_view key, int least, int most) {
    const auto given = arguments_.take(key);
    return given ? number(*given, least, most) : std::nullopt;
  }
  std::optional<std::int64_t> next_whole(int least, int most) {
    const auto given = arguments_.next();
    return given ? number(*given, least, most) : std::nullopt;
  }
  std::optional<std::int64_t> needed_whole(std::string_view what, int least, int most) {
    auto given = arguments_.require(what);
    if (given) return number(*given, least, most);
    keep(std::move(given).error());
    return std::nullopt;
  }
  void count(std::string_view key, int& to) {
    if (const auto given = whole(key, 0, 2)) to = static_cast<int>(*given);
  }
  template <class T, std::size_t N>
  void word(std::string_view key, const std::array<Word<T>, N>& words, T& to) {
    if (auto done = arguments_.assign(key, words, to); !done) keep(std::move(done).error());
  }
  void text(std::string_view key, std::string& to) {
    if (const auto given = arguments_.take(key)) to = std::string(given->value);
  }
  void ids(std::string_view key, std::vector<std::int64_t>& to) {
    const auto given = arguments_.take(key);
    if (!given) return;
    auto list = arguments_.list(*given, 0, kLargestId);
    if (!list) return keep(std::move(list).error());
    for (const double value : *list) to.push_back(static_cast<std::int64_t>(value));
  }
  void keep(Error error) {
    if (!failed_) failed_ = std::move(error);
  }
  Arguments& arguments() { return arguments_; }
  Status done() const { return failed_ ? Status(*failed_) : Status(); }

 private:
  std::optional<std::int64_t> number(const Argument& given, int least, int most) {
    auto value = arguments_.whole(given, least, most);
    if (value) return *value;
    keep(std::move(value).error());
    return std::nullopt;
  }
  Arguments& arguments_;
  std::optional<Error> failed_;
};

void read_tokenize(Taker& take, text::FrontEnd& f) {
  take.text("edit", f.edit);
  take.word("pair", kPairWords, f.pair);
  if (const auto shift = take.whole("shift", -kLargestId, kLargestId)) f.shift = *shift;
  take.ids("front", f.front);
  take.ids("back", f.back);
  take.word("memory", kTokenMemoryWords, f.memory);
  take.text("input", f.ids_input);
}

void read_special(Taker& take, text::FrontEnd& f) {
  const auto cls = take.whole("cls", 0, kLargestId), sep = take.whole("sep", 0, kLargestId);
  const auto bos = take.whole("bos", 0, kLargestId), eos = take.whole("eos", 0, kLargestId);
  text::Special& s = f.special;
  s.bos_eos = bos || eos;
  s.first = s.bos_eos ? bos : cls;
  s.last = s.bos_eos ? eos : sep;
  if ((s.bos_eos && (cls || sep)) || (!s.first && !s.last))
    take.keep(take.arguments().error(take.arguments().at(),
                                     "expected special(cls=ID, sep=ID), or special(bos=ID, "
                                     "eos=ID); one of the two may be left out"));
  const bool named_bos = s.bos_eos;
  take.count(named_bos ? "bos_times" : "cls_times", s.firsts);
  take.count(named_bos ? "eos_times" : "sep_times", s.lasts);
  take.count("between", s.between);
}

void read_truncate(Taker& take, text::FrontEnd& f) {
  text::Truncate step;
  if (const auto n = take.needed_whole("a number of tokens", 1, kMostLength)) step.length = *n;
  take.word("side", kTextSideWords, step.side);
  take.word("special", kSpecialCutWords, step.cuts_special);
  f.truncate = step;
}

void read_pad(Taker& take, text::FrontEnd& f) {
  text::Pad step;
  if (const auto n = take.needed_whole("a number of tokens", 1, kMostLength)) step.length = *n;
  if (const auto id = take.whole("id", 0, kLargestId)) step.id = *id;
  take.word("side", kTextSideWords, step.side);
  f.pad = step;
}

void read_mask(Taker& take, text::FrontEnd& f) {
  f.mask = text::Mask::kTokens;
  if (const auto given = take.arguments().next()) {
    auto value = take.arguments().word(*given, kMaskWords);
    if (value) f.mask = *value;
    else take.keep(std::move(value).error());
  }
  take.text("input", f.mask_input);
}

void read_types(Taker& take, text::FrontEnd& f) {
  f.types.emplace();
  f.types->value = take.next_whole(-kLargestId, kLargestId);
  take.text("input", f.types_input);
}

void read_positions(Taker& take, text::FrontEnd& f) {
  f.positions.emplace();
  if (const auto first = take.next_whole(-kMostLength, kMostLength)) f.positions->first = *first;
  f.positions->padding = take.whole("padding", -kMostLength, kMostLength);
  take.text("input", f.positions_input);
}

struct TextStepReader {
  std::string_view name;
  void (*read)(Taker&, text::FrontEnd&);
};
/// In the order in which they run.
constexpr std::array kTextSteps{
    TextStepReader{"tokenize", read_tokenize},  TextStepReader{"special", read_special},
    TextStepReader{"truncate", read_truncate},  TextStepReader{"pad", read_pad},
    TextStepReader{"mask", read_mask},          TextStepReader{"types", read_types},
    TextStepReader{"positions", read_positions}};

int rank_of(std::string_view name) {
  const auto at = std::find_if(kTextSteps.begin(), kTextSteps.end(),
                               [&](const TextStepReader& step) { return step.name == name; });
  return at == kTextSteps.end() ? -1 : static_cast<int>(at - kTextSteps.begin());
}

/// A change of the text; nothing for another step.
Result<std::optional<text::TextStep>> read_change(Arguments& arguments, std::string_view name) {
  for (const auto& [word, change] : kTextChangeWords)
    if (word == name) return std::optional(text::TextStep{change, {}});
  for (const auto& [word, change] : kTextAroundWords) {
    if (word != name) continue;
    auto given = arguments.require("a text between double quotes");
    if (!given) return std::move(given).error();
    auto value = quoted(arguments, *given);
    if (!value) return std::move(value).error();
    return std::optional(text::TextStep{change, *std::move(value)});
  }
  return std::optional<text::TextStep>();
}

Error unknown_step(const Arguments& arguments, const StepText& step) {
  std::vector<std::string> known;
  for (const auto& [word, change] : kTextChangeWords) known.emplace_back(word);
  for (const auto& [word, change] : kTextAroundWords) known.emplace_back(word);
  for (const TextStepReader& one : kTextSteps) known.emplace_back(one.name);
  Error error = arguments.unknown({{}, step.name, step.at}, known);
  error.what +=
      "; tokenize makes this a recipe of text, which steps of pictures or sound do not "
      "mix with";
  return error;
}

}  // namespace

bool is_of_text(const RecipeText& recipe) {
  return std::any_of(recipe.steps.begin(), recipe.steps.end(),
                     [](const StepText& step) { return step.name == kTextSteps.front().name; });
}

Result<Text> read_text(std::string_view text, const RecipeText& recipe) {
  Text out;
  int last = -1;
  std::string_view last_name;
  for (const StepText& step : recipe.steps) {
    Arguments arguments(text, step);
    auto change = read_change(arguments, step.name);
    if (!change) return std::move(change).error();
    const int rank = rank_of(step.name);
    if (!*change && rank < 0) return unknown_step(arguments, step);
    if (*change) {
      if (last >= 0)
        return arguments.error(
            step.at, std::string(step.name) + " changes the text: put it before tokenize");
      out.front_end.before.push_back(**std::move(change));
    } else {
      if (last < 0 && rank > 0)
        return arguments.error(step.at, std::string(step.name) +
                                            " works on tokens: put tokenize "
                                            "before it");
      if (rank <= last)
        return arguments.error(step.at, rank == last
                                            ? std::string(step.name) + " is given twice"
                                            : std::string(step.name) + " runs before " +
                                                  std::string(last_name) + ": put it there");
      last = rank;
      last_name = step.name;
      Taker take(arguments);
      kTextSteps[static_cast<std::size_t>(rank)].read(take, out.front_end);
      if (auto done = take.done(); !done) return std::move(done).error();
    }
    if (auto done = arguments.finish(); !done) return std::move(done).error();
  }
  return out;
}

}  // namespace edgeprobe::preprocess
