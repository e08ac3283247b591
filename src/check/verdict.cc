// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include "compare/recording.h"
#include "postprocess/anomaly/recipe.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/embedding/recipe.h"
#include "postprocess/pose/recipe.h"
#include "postprocess/segmentation/recipe.h"
#include "postprocess/tables.h"

namespace edgeprobe::check {
namespace {

// The part of a recipe behind "||", with its label files.
Status read_answers(const std::string& text, diagnose::Case& known) {
  if (text.empty()) return {};
  if (postprocess::detection::is_detection(text)) {
    EP_CHECK(postprocess::detection::parse(text));
    known.answers_are_boxes = true;
    return {};
  }
  if (postprocess::segmentation::is_segmentation(text)) {
    const auto mask = postprocess::segmentation::parse(text);
    return mask ? Status{} : Status(mask.error());
  }
  if (postprocess::pose::is_pose(text)) {
    const auto points = postprocess::pose::parse(text);
    return points ? Status{} : Status(points.error());
  }
  if (postprocess::embedding::is_embedding(text)) {
    const auto vector = postprocess::embedding::parse(text);
    return vector ? Status{} : Status(vector.error());
  }
  if (postprocess::anomaly::is_anomaly(text)) {
    const auto score = postprocess::anomaly::parse(text);
    return score ? Status{} : Status(score.error());
  }
  EP_TRY(auto post, postprocess::parse(text));
  EP_CHECK(postprocess::load_tables(post));
  known.answers = std::move(post);
  return {};
}

}  // namespace

Result<diagnose::Case> new_case(const Judgement& judgement, OpenReference& reference,
                                const TensorSpec* target) {
  diagnose::Case known;
  known.gate = judgement.gate;
  known.max_replay = judgement.max_replay;
  known.first_above = judgement.first_above;
  known.terms = judgement.terms;
  known.reference_pipeline = reference.pipeline ? &*reference.pipeline : nullptr;
  if (!reference.pipeline) return known;
  if (reference.pipeline->default_recipe) {
    known.guessed_recipe = true;
    known.stated_range = preprocess::stated_range(reference.pipeline->input()) ||
                         (target && preprocess::stated_range(*target));
  }
  if (auto read = read_answers(reference.pipeline->recipe.post, known); !read)
    return std::move(read.error()).during("reference");
  return known;
}

void add_reference(const OpenReference& reference, diagnose::Verdict& verdict) {
  verdict.provenance.insert(reference.provenance.begin(), reference.provenance.end());
  verdict.warnings.insert(verdict.warnings.end(), reference.warnings.begin(),
                          reference.warnings.end());
}

void add_shortfalls(const trace::Reader& target, const trace::Reader& reference,
                    diagnose::Verdict& verdict) {
  for (const std::string& said : compare::shortfalls(target))
    verdict.warnings.push_back("target trace: " + said);
  for (const std::string& said : compare::shortfalls(reference))
    verdict.warnings.push_back("reference trace: " + said);
}

}  // namespace edgeprobe::check
