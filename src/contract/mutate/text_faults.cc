// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "contract/mutate/front_faults.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

using TextFaults = FrontFaults<text::FrontEnd>;

const char* name_of(text::Change change) {
  switch (change) {
    case text::Change::kLower: return "lower case";
    case text::Change::kUpper: return "upper case";
    case text::Change::kStripAccents: return "accents stripped";
    case text::Change::kNfc: return "NFC";
    case text::Change::kNfd: return "NFD";
    case text::Change::kNfkc: return "NFKC";
    case text::Change::kCollapse: return "white space collapsed";
    case text::Change::kStrip: return "white space at the ends stripped";
    case text::Change::kOneLine: return "line feeds as spaces";
    case text::Change::kNoPunctuation: return "punctuation removed";
    case text::Change::kAscii: return "characters beyond ASCII removed";
    case text::Change::kLatin1: return "UTF-8 read as Latin-1";
    case text::Change::kEscaped: return "escaped as in JSON";
    case text::Change::kPrefix: return "the prefix";
    case text::Change::kSuffix: break;
  }
  return "the suffix";
}

void texts(TextFaults& faults) {
  std::set<text::Change> there;
  for (std::size_t i = 0; i < faults.right().before.size(); ++i) {
    const text::Change change = faults.right().before[i].change;
    there.insert(change);
    faults.add(diagnose::CauseKind::kTextNormalization,
               std::string(name_of(change)) + ": forgotten",
               [i](text::FrontEnd& f) { f.before.erase(f.before.begin() + static_cast<long>(i)); });
  }
  for (const text::Change change :
       {text::Change::kLower, text::Change::kStripAccents, text::Change::kNoPunctuation,
        text::Change::kAscii, text::Change::kLatin1, text::Change::kEscaped})
    if (there.count(change) == 0)
      faults.add(diagnose::CauseKind::kTextNormalization,
                 std::string(name_of(change)) + ": too much", [change](text::FrontEnd& f) {
                   f.before.push_back({change, ""});
                 });
}

void special(TextFaults& faults) {
  const text::Special& right = faults.right().special;
  if (!right.first && !right.last) return;
  const auto kind = diagnose::CauseKind::kSpecialTokens;
  const std::string first = right.bos_eos ? "BOS" : "CLS", last = right.bos_eos ? "EOS" : "SEP";
  if (right.first) {
    faults.add(kind, "no " + first, [](text::FrontEnd& f) { f.special.first.reset(); });
    faults.add(kind, first + " twice", [](text::FrontEnd& f) { f.special.firsts = 2; });
  }
  if (right.last) {
    faults.add(kind, "no " + last, [](text::FrontEnd& f) { f.special.last.reset(); });
    faults.add(kind, last + " twice", [](text::FrontEnd& f) { f.special.lasts = 2; });
  }
  if (right.first && right.last) {
    faults.add(kind, "neither " + first + " nor " + last, [](text::FrontEnd& f) {
      f.special.first.reset();
      f.special.last.reset();
    });
    faults.add(kind, first + " and " + last + " exchanged",
               [](text::FrontEnd& f) { std::swap(f.special.first, f.special.last); });
  }
}

void lengths(TextFaults& faults) {
  if (faults.right().truncate) {
    const auto kind = diagnose::CauseKind::kTruncation;
    faults.add(kind, "cut to half the length", [](text::FrontEnd& f) { f.truncate->length /= 2; });
    faults.add(
        kind, "the beginning cut off, or the end where that is right", [](text::FrontEnd& f) {
          f.truncate->side =
              f.truncate->side == text::Side::kRight ? text::Side::kLeft : text::Side::kRight;
        });
    faults.add(kind, "the last special token cut off",
               [](text::FrontEnd& f) { f.truncate->cuts_special = true; });
  }
  if (faults.right().pad) {
    const auto kind = diagnose::CauseKind::kTokenPadding;
    faults.add(kind, "padding on the other side", [](text::FrontEnd& f) {
      f.pad->side = f.pad->side == text::Side::kRight ? text::Side::kLeft : text::Side::kRight;
    });
    faults.add(kind, "another id for padding",
               [](text::FrontEnd& f) { f.pad->id = f.pad->id == 0 ? 1 : 0; });
  }
}

void beside_the_ids(TextFaults& faults) {
  if (faults.right().mask)
    for (const auto& [mask, what] :
         {std::pair{text::Mask::kOnes, "the mask is 1 everywhere"},
          {text::Mask::kZeros, "the mask is 0 everywhere"},
          {text::Mask::kInverted, "the mask is 1 for padding"},
          {text::Mask::kOtherSide, "the mask as if padding were on the other side"}})
      faults.add(diagnose::CauseKind::kAttentionMask, what,
                 [mask = mask](text::FrontEnd& f) { f.mask = mask; });
  if (faults.right().types)
    for (const std::int64_t value : {0, 1})
      faults.add(diagnose::CauseKind::kTokenTypes,
                 "token types are " + std::to_string(value) + " everywhere",
                 [value](text::FrontEnd& f) { f.types->value = value; });
  if (faults.right().positions) {
    faults.add(diagnose::CauseKind::kPositionIds, "positions one too high",
               [](text::FrontEnd& f) { ++f.positions->first; });
    if (faults.right().positions->padding)
      faults.add(diagnose::CauseKind::kPositionIds, "positions count padding",
                 [](text::FrontEnd& f) { f.positions->padding.reset(); });
  }
}

}  // namespace

std::vector<Mutation> text_faults(const preprocess::Recipe& recipe, const text::FrontEnd& right,
                                  const std::vector<std::string>& edits) {
  TextFaults faults(recipe, right);
  texts(faults);
  for (const std::string& edit : edits)
    faults.add(diagnose::CauseKind::kTokenizer, "the tokenizer's flag " + sanitized(edit, 60),
               [&](text::FrontEnd& f) { f.edit = edit; });
  faults.add(diagnose::CauseKind::kTokenizer, "ids one too high: another vocabulary",
             [](text::FrontEnd& f) { ++f.shift; });
  special(faults);
  lengths(faults);
  beside_the_ids(faults);
  faults.add(diagnose::CauseKind::kLayout, "64-bit ids taken for 32-bit ones",
             [](text::FrontEnd& f) { f.memory = text::Memory::kPairs; });
  return std::move(faults.all);
}

}  // namespace edgeprobe::contract
