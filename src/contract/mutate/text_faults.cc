// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>
#include <string_view>

#include "contract/mutate/front_faults.h"
#include "core/text.h"
#include "preprocess/recipe/text_steps.h"

namespace edgeprobe::contract {
namespace {

using TextFaults = FrontFaults<text::FrontEnd>;

std::string name_of(text::Change change) {
  const int value = static_cast<int>(change);
  const recipe::Word* const word = recipe::find_word(preprocess::text_changes(), value);
  return word ? word->fault : recipe::find_word(preprocess::texts_around(), value)->fault;
}

void texts(TextFaults& faults) {
  std::set<text::Change> there;
  for (std::size_t i = 0; i < faults.right().before.size(); ++i) {
    const text::Change change = faults.right().before[i].change;
    there.insert(change);
    faults.add(diagnose::CauseKind::kTextNormalization, name_of(change) + ": forgotten",
               [i](text::FrontEnd& f) { f.before.erase(f.before.begin() + static_cast<long>(i)); });
  }
  for (const text::Change change :
       {text::Change::kLower, text::Change::kStripAccents, text::Change::kNoPunctuation,
        text::Change::kAscii, text::Change::kLatin1, text::Change::kEscaped})
    if (there.count(change) == 0)
      faults.add(diagnose::CauseKind::kTextNormalization, name_of(change) + ": too much",
                 [change](text::FrontEnd& f) {
                   f.before.push_back({change, ""});
                 });
}

/// The kind of cause for an argument, or for all arguments of a step.
struct Cause {
  std::string_view step, argument;
  diagnose::CauseKind kind;
};
constexpr std::array kCauses{
    Cause{"tokenize", "shift", diagnose::CauseKind::kTokenizer},
    Cause{"tokenize", "memory", diagnose::CauseKind::kLayout},
    Cause{"special", "", diagnose::CauseKind::kSpecialTokens},
    Cause{"truncate", "", diagnose::CauseKind::kTruncation},
    Cause{"pad", "", diagnose::CauseKind::kTokenPadding},
    Cause{"mask", "", diagnose::CauseKind::kAttentionMask},
    Cause{"types", "", diagnose::CauseKind::kTokenTypes},
    Cause{"positions", "", diagnose::CauseKind::kPositionIds},
};

void arguments(TextFaults& faults) {
  for (const recipe::Fault& fault : recipe::faults(preprocess::text_steps(), &faults.right()))
    for (const Cause& cause : kCauses)
      if (cause.step == fault.step->name &&
          (cause.argument.empty() || cause.argument == fault.field->name))
        faults.add(cause.kind, fault);
}

void both_special(TextFaults& faults) {
  const text::Special& right = faults.right().special;
  if (!right.first || !right.last) return;
  const auto kind = diagnose::CauseKind::kSpecialTokens;
  const std::string first = right.bos_eos ? "BOS" : "CLS", last = right.bos_eos ? "EOS" : "SEP";
  faults.add(kind, "neither " + first + " nor " + last, [](text::FrontEnd& f) {
    f.special.first.reset();
    f.special.last.reset();
  });
  faults.add(kind, first + " and " + last + " exchanged",
             [](text::FrontEnd& f) { std::swap(f.special.first, f.special.last); });
}

}  // namespace

std::vector<Mutation> text_faults(const preprocess::Recipe& recipe, const text::FrontEnd& right,
                                  const std::vector<std::string>& edits) {
  TextFaults faults(recipe, right);
  texts(faults);
  for (const std::string& edit : edits)
    faults.add(diagnose::CauseKind::kTokenizer, "the tokenizer's flag " + sanitized(edit, 60),
               [&](text::FrontEnd& f) { f.edit = edit; });
  arguments(faults);
  both_special(faults);
  return std::move(faults.all);
}

}  // namespace edgeprobe::contract
