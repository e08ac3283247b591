// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/change_list.h"

#include <algorithm>
#include <map>
#include <optional>

namespace edgeprobe::diagnose::tokens {
namespace {

std::string times(int count) { return count == 0 ? "no" : count == 1 ? "one" : "two"; }

void add_special(ChangeList& out, const Problem& problem, const FrontEnd& f) {
  const text::Special& s = f.special;
  const std::string first = s.bos_eos ? "BOS" : "CLS", last = s.bos_eos ? "EOS" : "SEP";
  const auto put = [&](Part part, const std::string& words, double weight, auto apply) {
    out.add(CauseKind::kSpecialTokens, part, "the app adds " + words, weight, apply);
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

/// Largest number of non-padding ids in a recorded row.
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

void add_truncation(ChangeList& out, const Problem& problem, const FrontEnd& f,
                    const std::vector<text::Encoding>& said) {
  std::size_t seen = 0;
  for (const Observation& one : problem.observations())
    seen = std::max(seen, one.recorded.ids.size());
  const std::int64_t length = static_cast<std::int64_t>(seen);
  if (seen > 0 && seen != longest(said))
    out.add(
        CauseKind::kTruncation, Part::kLength,
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
        CauseKind::kTruncation, Part::kLength,
        "the app keeps at most " + std::to_string(most) + " tokens; the reference " +
            std::to_string(f.truncate->length),
        1.15, [most](FrontEnd& to) { to.truncate->length = most; }, kLengthBits);
  out.add(CauseKind::kTruncation, Part::kCutSide,
          std::string("the app cuts long texts off on the ") + side_words(other(f.truncate->side)) +
              "; the reference on the " + side_words(f.truncate->side),
          1, [](FrontEnd& to) { to.truncate->side = other(to.truncate->side); });
  if (!f.truncate->cuts_special)
    out.add(CauseKind::kTruncation, Part::kCutSpecial,
            "the app cuts off after it has added special tokens, so long texts lose them; the "
            "reference cuts before",
            1.05, [](FrontEnd& to) { to.truncate->cuts_special = true; });
  out.add(CauseKind::kTruncation, Part::kLength, "the app does not cut long texts off", 1.1,
          [](FrontEnd& to) { to.truncate.reset(); });
}

/// An id found where the front end pads, or at the ends of recorded rows, that is not its padding
/// id.
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

void add_padding(ChangeList& out, const Problem& problem, const FrontEnd& f,
                 const std::vector<text::Encoding>& said) {
  if (!f.pad) return;
  out.add(CauseKind::kTokenPadding, Part::kPadSide,
          std::string("the app pads on the ") + side_words(other(f.pad->side)) +
              "; the reference on the " + side_words(f.pad->side),
          1, [](FrontEnd& to) { to.pad->side = other(to.pad->side); });
  out.add(CauseKind::kTokenPadding, Part::kPadding, "the app does not pad", 1.1,
          [](FrontEnd& to) { to.pad.reset(); });
  if (const auto id = other_padding(problem, f, said))
    out.add(
        CauseKind::kTokenPadding, Part::kPadId,
        "the app pads with id " + std::to_string(*id) + "; the reference with " +
            std::to_string(f.pad->id),
        1, [id = *id](FrontEnd& to) { to.pad->id = id; }, kIdBits);
}

/// The most frequent difference of ids at the same position.
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

void add_ids(ChangeList& out, const Problem& problem, const FrontEnd& f,
             const std::vector<text::Encoding>& said) {
  if (const std::int64_t shift = usual_shift(problem, f, said); shift != 0) {
    const std::string by = (shift > 0 ? "+" : "") + std::to_string(shift);
    out.add(
        CauseKind::kTokenizer, Part::kShift,
        "the app's ids are those of the reference " + by +
            ", as with a vocabulary file that has more or fewer lines at the beginning",
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

}  // namespace

void add_row_changes(ChangeList& out, const Problem& problem, const FrontEnd& front_end,
                     const std::vector<text::Encoding>& said) {
  add_special(out, problem, front_end);
  add_truncation(out, problem, front_end, said);
  add_padding(out, problem, front_end, said);
  add_ids(out, problem, front_end, said);
}

}  // namespace edgeprobe::diagnose::tokens
