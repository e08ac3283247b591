// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "diagnose/tokens/change_list.h"
#include "preprocess/recipe/text_steps.h"
#include "recipe/read.h"

namespace edgeprobe::diagnose::tokens {
namespace {

/// The constant that an input holds in every frame.
std::optional<std::int64_t> only_value(const Problem& problem, Ids text::Encoding::*input) {
  std::optional<std::int64_t> value;
  for (const Observation& one : problem.observations())
    for (const std::int64_t v : one.recorded.*input) {
      if (value && *value != v) return std::nullopt;
      value = v;
    }
  return value;
}

}  // namespace

void add_mask_changes(ChangeList& out, const FrontEnd& f) {
  const recipe::Field& mask = *recipe::find_field(preprocess::text_steps(), "mask.mask");
  for (const recipe::Word& word : recipe::most_usual_first(mask.words))
    if (word.meaning && f.mask != static_cast<text::Mask>(word.value))
      out.add(CauseKind::kAttentionMask, Part::kMask, std::string("the app's mask ") + word.meaning,
              1 + 0.1 * word.rank,
              [to = word.value](FrontEnd& app) { app.mask = static_cast<text::Mask>(to); });
}

void add_type_changes(ChangeList& out, const Problem& problem, const FrontEnd& f) {
  if (const auto value = only_value(problem, &text::Encoding::types);
      value && f.types->value != *value)
    out.add(
        CauseKind::kTokenTypes, Part::kTypes,
        "the app's token types are " + std::to_string(*value) + " everywhere; the reference's " +
            (f.types->value ? std::to_string(*f.types->value)
                            : "0 in the first text, 1 in the second"),
        1, [value = *value](FrontEnd& to) { to.types->value = value; }, kSmallBits);
  if (f.types->value)
    out.add(CauseKind::kTokenTypes, Part::kTypes,
            "the app's token types are 0 in the first text and 1 in the second; the reference's " +
                std::to_string(*f.types->value) + " everywhere",
            1.1, [](FrontEnd& to) { to.types->value.reset(); });
}

void add_position_changes(ChangeList& out, const Problem& problem, const FrontEnd& f) {
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
          CauseKind::kPositionIds, Part::kFirstPosition,
          "the app counts positions from " + std::to_string(first) + "; the reference from " +
              std::to_string(own.first),
          1, [first](FrontEnd& to) { to.positions->first = first; }, kSmallBits);
  if (own.padding)
    out.add(CauseKind::kPositionIds, Part::kPositionOfPadding,
            "the app counts positions over padding, too; the reference only over tokens", 1.1,
            [](FrontEnd& to) { to.positions->padding.reset(); });
  for (const auto& [value, count] : edges)
    if (own.padding != value)
      out.add(
          CauseKind::kPositionIds, Part::kPositionOfPadding,
          "the app gives padding the position " + std::to_string(value) + "; the reference " +
              (own.padding ? std::to_string(*own.padding) : "counts on over it"),
          1.1, [value = value](FrontEnd& to) { to.positions->padding = value; }, kSmallBits);
}

}  // namespace edgeprobe::diagnose::tokens
