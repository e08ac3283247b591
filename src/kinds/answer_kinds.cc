// SPDX-License-Identifier: Apache-2.0
#include "kinds/answer_kinds.h"

#include <algorithm>
#include <array>

#include "postprocess/tables.h"

namespace edgeprobe::kinds {
namespace {

namespace detection = postprocess::detection;
namespace segmentation = postprocess::segmentation;
namespace pose = postprocess::pose;
namespace embedding = postprocess::embedding;
namespace anomaly = postprocess::anomaly;
namespace transcript = postprocess::transcript;

template <auto Parse>
Result<AnswerRecipe> parsed(std::string_view text) {
  EP_TRY(auto recipe, Parse(text));
  return AnswerRecipe(std::move(recipe));
}

bool has_classes(const trace::Answer& answer) {
  return !answer.boxes && !answer.mask && !answer.points &&
         (answer.labels || answer.classes || (answer.scores && !answer.text));
}
bool has_boxes(const trace::Answer& answer) { return answer.boxes.has_value(); }
bool has_mask(const trace::Answer& answer) { return answer.mask.has_value(); }
bool has_points(const trace::Answer& answer) { return answer.points.has_value(); }
bool has_vector(const trace::Answer& answer) { return answer.vector && !answer.vector->empty(); }
bool has_text(const trace::Answer& answer) { return answer.text.has_value(); }
bool has_score(const trace::Answer& answer) { return answer.score || answer.alarm; }

constexpr std::array kAnswers{
    AnswerKind{AnswerId::kClasses, "classes", "answers", "other answers", "them", nullptr,
               parsed<postprocess::parse>, postprocess::steps, has_classes},
    AnswerKind{AnswerId::kBoxes, "boxes", "boxes", "other boxes", "them", detection::is_detection,
               parsed<detection::parse>, detection::steps, has_boxes},
    AnswerKind{AnswerId::kMask, "mask", "mask", "another mask", "that",
               segmentation::is_segmentation, parsed<segmentation::parse>, segmentation::steps,
               has_mask},
    AnswerKind{AnswerId::kPoints, "points", "points", "other points", "that", pose::is_pose,
               parsed<pose::parse>, pose::steps, has_points},
    AnswerKind{AnswerId::kVector, "vector", "answers", "another vector", "it",
               embedding::is_embedding, parsed<embedding::parse>, embedding::steps, has_vector},
    AnswerKind{AnswerId::kScore, "score", "answers", "another score", "it", anomaly::is_anomaly,
               parsed<anomaly::parse>, anomaly::steps, has_score},
    AnswerKind{AnswerId::kTranscript, "transcript", "texts", "another text", "it",
               transcript::is_transcript, parsed<transcript::parse>, transcript::steps, has_text},
};

static_assert(has_row_for_each(kAnswers, kLastAnswer) &&
              std::variant_size_v<AnswerRecipe> == kAnswers.size());

/// Loads the files named in a recipe of each kind.
struct TableLoader {
  Status operator()(postprocess::Classification& recipe) const {
    return postprocess::load_tables(recipe);
  }
  Status operator()(detection::Recipe& recipe) const { return detection::load_labels(recipe); }
  Status operator()(segmentation::Recipe& recipe) const {
    return segmentation::load_colors(recipe);
  }
  Status operator()(pose::Recipe& recipe) const { return pose::load_names(recipe); }
  Status operator()(embedding::Recipe&) const { return {}; }
  Status operator()(anomaly::Recipe&) const { return {}; }
  Status operator()(transcript::Recipe& recipe) const {
    return transcript::load_dictionary(recipe);
  }
};

}  // namespace

std::span<const AnswerKind> answer_kinds() { return kAnswers; }

const AnswerKind& kind_of(AnswerId id) { return kAnswers[static_cast<std::size_t>(id)]; }

const AnswerKind& answer_kind_of(std::string_view text) {
  const auto kind = std::find_if(kAnswers.begin(), kAnswers.end(), [&](const AnswerKind& one) {
    return one.has_steps && one.has_steps(text);
  });
  return kind != kAnswers.end() ? *kind : kind_of(AnswerId::kClasses);
}

AnswerId id_of(const AnswerRecipe& recipe) { return static_cast<AnswerId>(recipe.index()); }

Result<AnswerRecipe> parse_answer(std::string_view text) {
  return answer_kind_of(text).parse(text);
}

Status load_tables(AnswerRecipe& recipe) { return std::visit(TableLoader{}, recipe); }

std::string to_text(const AnswerRecipe& recipe) {
  return std::visit([](const auto& one) { return to_text(one); }, recipe);
}

}  // namespace edgeprobe::kinds
