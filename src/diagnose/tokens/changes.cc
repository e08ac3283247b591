// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/changes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/text.h"

namespace edgeprobe::diagnose::tokens {
namespace {

using text::FrontEnd;
using Ids = std::vector<std::int64_t>;

/// Bits of a number that is read off the recording, and of a length.
constexpr double kIdBits = 16, kLengthBits = 10, kSmallBits = 4;
/// Ids of a template that nobody named.
constexpr std::size_t kLongestTemplate = 24;

/// Collects changes.
class Changes {
 public:
  void add(CauseKind kind, Part part, std::string words, double weight,
           std::function<void(FrontEnd&)> apply, double read_bits = 0) {
    all_.push_back({kind, part, std::move(words), weight, read_bits, std::move(apply)});
  }
  std::vector<Change> take() { return std::move(all_); }

 private:
  std::vector<Change> all_;
};

using enum CauseKind;

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
      {{C::kPrefix, " "}, "puts a space in front of the text", 1.45},
      {{C::kSuffix, "\n"}, "leaves a line feed behind the text", 1.5},
      {{C::kOneLine, ""}, "turns line feeds into spaces", 1.55},
      {{C::kNoPunctuation, ""}, "drops punctuation", 1.6},
      {{C::kUpper, ""}, "turns the text into capitals", 1.65},
      {{C::kAscii, ""}, "drops what is beyond ASCII", 1.7},
      {{C::kLatin1, ""}, "reads UTF-8 as Latin-1", 1.7},
      {{C::kEscaped, ""}, "leaves JSON's escapes in the text", 1.75},
  };
  return words;
}

void add_text(Changes& out, const FrontEnd& f) {
  for (const TextWords& one : text_words()) {
    if (!f.before.empty() && f.before.back() == one.step) continue;
    out.add(kTextNormalization, Part::kText,
            std::string("the app ") + one.does + "; the reference does not", one.weight,
            [step = one.step](FrontEnd& to) { to.before.push_back(step); });
  }
  for (std::size_t i = 0; i < f.before.size(); ++i) {
    const bool around =
        f.before[i].change == text::Change::kPrefix || f.before[i].change == text::Change::kSuffix;
    out.add(around ? kTextTemplate : kTextNormalization, Part::kStep,
            "the app does not do what the reference does to the text: " + words_of(f.before[i]), 1,
            [i](FrontEnd& to) {
              if (i < to.before.size())
                to.before.erase(to.before.begin() + static_cast<std::ptrdiff_t>(i));
            });
  }
}

/// Words of a flag of tokenizer.json; the flag itself for one without.
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
      {"no_prefix_space", "puts no space in front, as the reference's does"},
      {"prefix_space", "puts a space in front, which the reference's does not"},
      {"added_tokens_split",
       "splits special tokens written in the text, which the reference's "
       "takes whole"},
      {"merges_ignored", "knows no merges, as with the vocabulary file alone"},
      {"words_not_split", "does not split the text into words first, as the reference's does"},
  };
  const auto at = words.find(edit);
  return at == words.end() ? "has the flag " + sanitized(edit, 60) : at->second;
}

bool is_of_normalizer(const std::string& edit) {
  return edit != "added_tokens_split" && edit != "merges_ignored" && edit != "words_not_split" &&
         edit != "no_prefix_space" && edit != "prefix_space";
}

void add_edits(Changes& out, const Problem& problem, const FrontEnd& f) {
  double weight = 1;
  for (const std::string& edit : problem.edits()) {
    weight += 0.02;
    if (edit == f.edit) continue;
    out.add(is_of_normalizer(edit) ? kTextNormalization : CauseKind::kTokenizer, Part::kEdit,
            "the app's tokenizer " + words_of_edit(edit), weight,
            [edit](FrontEnd& to) { to.edit = edit; });
  }
}

void add_pair(Changes& out, const Problem& problem, const FrontEnd& f) {
  if (!problem.has_pairs()) return;
  const auto set = [&](text::Pair pair, const char* words) {
    if (pair != f.pair)
      out.add(kTextTemplate, Part::kPair, std::string("the app ") + words, 1.1,
              [pair](FrontEnd& to) { to.pair = pair; });
  };
  set(text::Pair::kSwapped, "exchanges the two texts");
  set(text::Pair::kFirst, "leaves the second text out");
  set(text::Pair::kSecond, "leaves the first text out");
}

std::string times(int count) { return count == 0 ? "no" : count == 1 ? "one" : "two"; }

void add_special(Changes& out, const Problem& problem, const FrontEnd& f) {
  const text::Special& s = f.special;
  const std::string first = s.bos_eos ? "BOS" : "CLS", last = s.bos_eos ? "EOS" : "SEP";
  const auto put = [&](Part part, const std::string& words, double weight, auto apply) {
    out.add(kSpecialTokens, part, "the app adds " + words, weight, apply);
  };
  const auto against = [](int count) { return "; the reference adds " + times(count); };
  for (const int n : {0, 1, 2}) {
    if (s.first && n != s.firsts)
      put(Part::kFirst, times(n) + " " + first + against(s.firsts), 1,
          [n](FrontEnd& to) { to.special.firsts = n; });
    if (s.last && n != s.lasts)
      put(Part::kLast, times(n) + " " + last + " at the end" + against(s.lasts), 1,
          [n](FrontEnd& to) { to.special.lasts = n; });
    if (s.first && s.last && n != s.firsts && n != s.lasts && s.firsts == s.lasts)
      put(Part::kSpecial,
          times(n) + " " + first + " and " + times(n) + " " + last + against(s.firsts) + " of each",
          1, [n](FrontEnd& to) { to.special.firsts = to.special.lasts = n; });
    if (s.last && problem.has_pairs() && n != s.between)
      put(Part::kBetween, times(n) + " " + last + " between the two texts" + against(s.between),
          1.05, [n](FrontEnd& to) { to.special.between = n; });
  }
}

const char* side_words(text::Side side) { return side == text::Side::kLeft ? "left" : "right"; }
text::Side other(text::Side side) {
  return side == text::Side::kLeft ? text::Side::kRight : text::Side::kLeft;
}

std::size_t longest(const std::vector<text::Encoding>& all) {
  std::size_t most = 0;
  for (const text::Encoding& one : all) most = std::max(most, one.ids.size());
  return most;
}

/// The most ids of a recorded row that are no padding.
std::size_t most_tokens(const Problem& problem, const FrontEnd& f) {
  std::size_t most = 0;
  for (const Observation& one : problem.observations()) {
    Ids ids = one.recorded.ids;
    if (f.pad && f.pad->side == text::Side::kLeft) std::reverse(ids.begin(), ids.end());
    while (f.pad && !ids.empty() && ids.back() == f.pad->id) ids.pop_back();
    most = std::max(most, ids.size());
  }
  return most;
}

void add_truncation(Changes& out, const Problem& problem, const FrontEnd& f,
                    const std::vector<text::Encoding>& said) {
  std::size_t seen = 0;
  for (const Observation& one : problem.observations())
    seen = std::max(seen, one.recorded.ids.size());
  const std::int64_t length = static_cast<std::int64_t>(seen);
  if (seen > 0 && seen != longest(said))
    out.add(
        kTruncation, Part::kLength,
        "the app's rows have " + std::to_string(seen) + " ids, the reference's " +
            std::to_string(longest(said)),
        1.1,
        [length](FrontEnd& to) {
          if (to.truncate) to.truncate->length = length;
          if (to.pad) to.pad->length = length;
        },
        kLengthBits);
  if (!f.truncate) return;
  const auto most = static_cast<std::int64_t>(most_tokens(problem, f));
  if (most > 0 && most < f.truncate->length)
    out.add(
        kTruncation, Part::kLength,
        "the app keeps at most " + std::to_string(most) + " tokens; the reference " +
            std::to_string(f.truncate->length),
        1.15, [most](FrontEnd& to) { to.truncate->length = most; }, kLengthBits);
  out.add(kTruncation, Part::kCutSide,
          std::string("the app cuts long texts off on the ") + side_words(other(f.truncate->side)) +
              "; the reference on the " + side_words(f.truncate->side),
          1, [](FrontEnd& to) { to.truncate->side = other(to.truncate->side); });
  if (!f.truncate->cuts_special)
    out.add(kTruncation, Part::kCutSpecial,
            "the app cuts off after it has added special tokens, so long texts lose them; the "
            "reference cuts before",
            1.05, [](FrontEnd& to) { to.truncate->cuts_special = true; });
  out.add(kTruncation, Part::kLength, "the app does not cut long texts off", 1.1,
          [](FrontEnd& to) { to.truncate.reset(); });
}

/// An id that stands where the front end pads, or fills the ends of recorded rows, and is not its
/// padding.
std::optional<std::int64_t> other_padding(const Problem& problem, const FrontEnd& f,
                                          const std::vector<text::Encoding>& said) {
  std::map<std::int64_t, std::size_t> count;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Ids& ids = problem.observations()[i].recorded.ids;
    for (std::size_t k = 0; k < std::min(ids.size(), said[i].ids.size()); ++k)
      if (said[i].ids[k] == f.pad->id) ++count[ids[k]];
    if (ids.size() < 3) continue;
    if (ids.back() == ids[ids.size() - 2]) ++count[ids.back()];
    if (ids.front() == ids[1]) ++count[ids.front()];
  }
  count.erase(f.pad->id);
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? std::nullopt : std::optional(most->first);
}

void add_padding(Changes& out, const Problem& problem, const FrontEnd& f,
                 const std::vector<text::Encoding>& said) {
  if (!f.pad) return;
  out.add(kTokenPadding, Part::kPadSide,
          std::string("the app pads on the ") + side_words(other(f.pad->side)) +
              "; the reference on the " + side_words(f.pad->side),
          1, [](FrontEnd& to) { to.pad->side = other(to.pad->side); });
  out.add(kTokenPadding, Part::kPadding, "the app does not pad", 1.1,
          [](FrontEnd& to) { to.pad.reset(); });
  if (const auto id = other_padding(problem, f, said))
    out.add(
        kTokenPadding, Part::kPadId,
        "the app pads with id " + std::to_string(*id) + "; the reference with " +
            std::to_string(f.pad->id),
        1, [id = *id](FrontEnd& to) { to.pad->id = id; }, kIdBits);
}

/// The difference that most ids of equal place have.
std::int64_t usual_shift(const Problem& problem, const FrontEnd& f,
                         const std::vector<text::Encoding>& said) {
  std::map<std::int64_t, std::size_t> count;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Ids &own = said[i].ids, &got = problem.observations()[i].recorded.ids;
    for (std::size_t k = 0; k < std::min(own.size(), got.size()); ++k)
      if (own[k] != (f.pad ? f.pad->id : -1) && own[k] != f.special.first &&
          own[k] != f.special.last)
        ++count[got[k] - own[k]];
  }
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? 0 : most->first;
}

void add_ids(Changes& out, const Problem& problem, const FrontEnd& f,
             const std::vector<text::Encoding>& said) {
  if (const std::int64_t shift = usual_shift(problem, f, said); shift != 0) {
    const std::string by = (shift > 0 ? "+" : "") + std::to_string(shift);
    out.add(
        CauseKind::kTokenizer, Part::kShift,
        "the app's ids are those of the reference " + by +
            ", as with a vocabulary file that has lines more or less in front",
        1.1, [shift](FrontEnd& to) { to.shift += shift; }, kIdBits);
    if (f.special.first || f.special.last)
      out.add(
          CauseKind::kTokenizer, Part::kShift,
          "all ids of the app, special ones among them, are those of the reference " + by, 1.15,
          [shift](FrontEnd& to) {
            to.shift += shift;
            if (to.special.first) *to.special.first += shift;
            if (to.special.last) *to.special.last += shift;
          },
          kIdBits);
  }
  if (f.memory == text::Memory::kAsDeclared)
    out.add(CauseKind::kTokenizer, Part::kMemory,
            "the app hands on 64-bit ids as 32-bit ones: every second one is 0, and half of the "
            "text is lost",
            1.2, [](FrontEnd& to) { to.memory = text::Memory::kPairs; });
}

/// Ids that stand at one place of every recorded row; of rows that were cut off there, none.
std::vector<Ids> constant_runs(const Problem& problem, const FrontEnd& f, std::size_t skipped,
                               bool at_end) {
  std::vector<Ids> rows;
  for (const Observation& one : problem.observations()) {
    Ids ids = one.recorded.ids;
    const auto is_padding = [&](std::int64_t id) { return f.pad && id == f.pad->id; };
    ids.erase(ids.begin(), std::find_if_not(ids.begin(), ids.end(), is_padding));
    while (!ids.empty() && is_padding(ids.back())) ids.pop_back();
    const bool is_cut = f.truncate && static_cast<std::int64_t>(ids.size()) >= f.truncate->length &&
                        at_end == (f.truncate->side == text::Side::kRight);
    if (is_cut) continue;
    if (at_end) std::reverse(ids.begin(), ids.end());
    ids.erase(ids.begin(),
              ids.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, ids.size())));
    rows.push_back(std::move(ids));
  }
  // In one row everything is constant.
  if (rows.size() < 2) return {};
  std::size_t longest = 0;
  while (longest < kLongestTemplate && std::all_of(rows.begin(), rows.end(), [&](const Ids& row) {
           return row.size() > longest && row[longest] == rows[0][longest];
         }))
    ++longest;
  // The texts themselves may begin alike, so the template may be shorter.
  std::vector<Ids> runs;
  for (std::size_t n = longest; n > 0; --n) {
    Ids run(rows[0].begin(), rows[0].begin() + static_cast<std::ptrdiff_t>(n));
    if (at_end) std::reverse(run.begin(), run.end());
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string list_of(const Ids& ids) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 12); ++i)
    out += (i ? " " : "") + std::to_string(ids[i]);
  return out + (ids.size() > 12 ? " …" : "");
}

/// A run of ids in front of each text or behind it: as the text that it stands for, and as ids.
void add_template(Changes& out, const Problem& problem, const FrontEnd& f, const Ids& run,
                  bool at_end) {
  const std::string where = at_end ? "behind" : "in front of";
  const double bits = kIdBits * static_cast<double>(run.size());
  Ids own = run;
  for (std::int64_t& id : own) id -= f.shift;
  // Tokenizing each again beside every other change would take long.
  std::string text = f == problem.reference() ? problem.text_of(own) : std::string();
  const std::size_t begin = text.find_first_not_of(' ');
  text =
      begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  if (!text.empty()) {
    text::TextStep step{at_end ? text::Change::kSuffix : text::Change::kPrefix,
                        at_end ? " " + text : text + " "};
    out.add(
        kTextTemplate, Part::kTemplate,
        "the app puts '" + sanitized(step.text, 80) + "' " + where +
            " each text; the reference does not",
        1.25, [step](FrontEnd& to) { to.before.push_back(step); }, bits);
  }
  out.add(
      kTextTemplate, Part::kTemplate,
      "the app puts ids " + where + " each text that the reference does not: " + list_of(run), 1.3,
      [run, at_end](FrontEnd& to) { (at_end ? to.back : to.front) = run; }, bits);
}

void add_templates(Changes& out, const Problem& problem, const FrontEnd& f) {
  const auto skip = [](const std::optional<std::int64_t>& id, int count) {
    return id ? static_cast<std::size_t>(std::max(0, count)) : 0;
  };
  if (f.front.empty())
    for (const Ids& run : constant_runs(problem, f, skip(f.special.first, f.special.firsts), false))
      add_template(out, problem, f, run, false);
  if (f.back.empty())
    for (const Ids& run : constant_runs(problem, f, skip(f.special.last, f.special.lasts), true))
      add_template(out, problem, f, run, true);
}

void add_masks(Changes& out, const FrontEnd& f) {
  const auto add = [&](text::Mask mask, const char* words, double weight) {
    if (f.mask != mask)
      out.add(kAttentionMask, Part::kMask, std::string("the app's mask ") + words, weight,
              [mask](FrontEnd& to) { to.mask = mask; });
  };
  add(text::Mask::kOnes, "is 1 everywhere, padding included", 1);
  add(text::Mask::kInverted, "is inverted: 0 for tokens, 1 for padding", 1.1);
  add(text::Mask::kZeros, "is 0 everywhere", 1.2);
  add(text::Mask::kOtherSide, "takes the padding for on the other side than it is", 1.3);
}

/// The one value that an input has in every frame.
std::optional<std::int64_t> only_value(const Problem& problem, Ids text::Encoding::*input) {
  std::optional<std::int64_t> value;
  for (const Observation& one : problem.observations())
    for (const std::int64_t v : one.recorded.*input) {
      if (value && *value != v) return std::nullopt;
      value = v;
    }
  return value;
}

void add_types(Changes& out, const Problem& problem, const FrontEnd& f) {
  if (const auto value = only_value(problem, &text::Encoding::types);
      value && f.types->value != *value)
    out.add(
        kTokenTypes, Part::kTypes,
        "the app's token types are " + std::to_string(*value) + " everywhere; the reference's " +
            (f.types->value ? std::to_string(*f.types->value)
                            : "0 in the first text, 1 in the second"),
        1, [value = *value](FrontEnd& to) { to.types->value = value; }, kSmallBits);
  if (f.types->value)
    out.add(kTokenTypes, Part::kTypes,
            "the app's token types are 0 in the first text and 1 in the second; the reference's " +
                std::to_string(*f.types->value) + " everywhere",
            1.1, [](FrontEnd& to) { to.types->value.reset(); });
}

void add_positions(Changes& out, const Problem& problem, const FrontEnd& f) {
  std::optional<std::int64_t> least;
  std::map<std::int64_t, std::size_t> edges;
  for (const Observation& one : problem.observations()) {
    const Ids& row = one.recorded.positions;
    for (const std::int64_t position : row) least = std::min(least.value_or(position), position);
    if (row.size() > 2 && row.back() == row[row.size() - 2]) ++edges[row.back()];
    if (row.size() > 2 && row.front() == row[1]) ++edges[row.front()];
  }
  const text::Positions own = *f.positions;
  std::vector<std::int64_t> firsts;
  if (least) firsts = {*least, *least + 1};
  for (const std::int64_t first : firsts)
    if (first != own.first)
      out.add(
          kPositionIds, Part::kFirstPosition,
          "the app counts positions from " + std::to_string(first) + "; the reference from " +
              std::to_string(own.first),
          1, [first](FrontEnd& to) { to.positions->first = first; }, kSmallBits);
  if (own.padding)
    out.add(kPositionIds, Part::kPositionOfPadding,
            "the app counts positions over padding, too; the reference over tokens alone", 1.1,
            [](FrontEnd& to) { to.positions->padding.reset(); });
  for (const auto& [value, count] : edges)
    if (own.padding != value)
      out.add(
          kPositionIds, Part::kPositionOfPadding,
          "the app gives padding the position " + std::to_string(value) + "; the reference " +
              (own.padding ? std::to_string(*own.padding) : "counts on over it"),
          1.1, [value = value](FrontEnd& to) { to.positions->padding = value; }, kSmallBits);
}

}  // namespace

bool are_exclusive(Part a, Part b) {
  const auto is_special = [](Part part) { return part == Part::kFirst || part == Part::kLast; };
  if (a == Part::kSpecial && is_special(b)) return true;
  if (b == Part::kSpecial && is_special(a)) return true;
  return a == b && a != Part::kText;
}

std::string words_of(const text::TextStep& step) {
  if (step.change == text::Change::kPrefix || step.change == text::Change::kSuffix)
    return std::string("'") + sanitized(step.text, 60) +
           (step.change == text::Change::kPrefix ? "' in front of it" : "' behind it");
  for (const TextWords& one : text_words())
    if (one.step.change == step.change) return std::string("it ") + one.does;
  return "a step";
}

std::vector<Change> changes_of_ids(const Problem& problem, const FrontEnd& front_end,
                                   const std::vector<text::Encoding>& said) {
  Changes out;
  add_text(out, front_end);
  add_edits(out, problem, front_end);
  add_pair(out, problem, front_end);
  add_special(out, problem, front_end);
  add_truncation(out, problem, front_end, said);
  add_padding(out, problem, front_end, said);
  add_ids(out, problem, front_end, said);
  add_templates(out, problem, front_end);
  return out.take();
}

std::vector<Change> changes_of(text::Role role, const Problem& problem, const FrontEnd& front_end) {
  Changes out;
  if (role == text::Role::kMask && front_end.mask) add_masks(out, front_end);
  if (role == text::Role::kTypes && front_end.types) add_types(out, problem, front_end);
  if (role == text::Role::kPositions && front_end.positions) add_positions(out, problem, front_end);
  return out.take();
}

}  // namespace edgeprobe::diagnose::tokens
