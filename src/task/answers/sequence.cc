// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "task/answers/answer_task.h"
#include "task/metrics/edit_distance.h"

namespace edgeprobe::task {
namespace {

class Sequence final : public Statistic {
 public:
  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const std::string& said = std::get<Transcript>(truth).text;
    const std::string_view heard = answer && answer->text ? std::string_view(*answer->text) : "";
    auto words = word_edits(said, heard), characters = character_edits(said, heard);
    const bool good = words && characters;
    if (!good) {
      problem("texts are too long to be compared: they count as not given");
      words = word_edits(said, "");
      characters = character_edits(said, "");
    }
    words_.push_back(words.value_or(Edits{}));
    characters_.push_back(characters.value_or(Edits{}));
    return good;
  }

  std::optional<double> value(Weights weights) const override { return rate(words_, weights); }

  Details details(Weights weights) const override {
    Edits sum;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      sum.substituted += words_[i].substituted * weights[i];
      sum.inserted += words_[i].inserted * weights[i];
      sum.deleted += words_[i].deleted * weights[i];
    }
    Details details;
    details.further = {{"character_error_rate", rate(characters_, weights)},
                       {"words_substituted", static_cast<double>(sum.substituted)},
                       {"words_inserted", static_cast<double>(sum.inserted)},
                       {"words_deleted", static_cast<double>(sum.deleted)}};
    return details;
  }
  double cost() const override { return static_cast<double>(words_.size()); }

 private:
  static std::optional<double> rate(const std::vector<Edits>& all, Weights weights) {
    std::uint64_t changed = 0, length = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      changed += all[i].all() * weights[i];
      length += all[i].length * weights[i];
    }
    return length ? std::optional(static_cast<double>(changed) / static_cast<double>(length))
                  : std::nullopt;
  }

  std::vector<Edits> words_, characters_;
};

std::optional<double> same_text(const trace::Answer& a, const trace::Answer& b, const Terms&) {
  if (*a.text == *b.text) return 1;
  const auto forth = character_edits(*a.text, *b.text), back = character_edits(*b.text, *a.text);
  if (!forth || !back) return 0;
  return 1 - static_cast<double>(forth->all()) /
                 static_cast<double>(std::max(forth->length, back->length));
}

}  // namespace

const AnswerTask kSequence{
    "sequence",
    "word_error_rate",
    "word error rate",
    false,
    "words",
    0.05,
    [](const Annotation& truth) { return std::holds_alternative<Transcript>(truth); },
    [](const trace::Answer& answer) { return answer.text.has_value(); },
    [](const Terms&) -> std::unique_ptr<Statistic> { return std::make_unique<Sequence>(); },
    same_text};

}  // namespace edgeprobe::task
