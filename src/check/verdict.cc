// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include "compare/recording.h"
#include "kinds/answer_kinds.h"

namespace edgeprobe::check {
namespace {

// Reads the part of a recipe after "||".
Status read_answers(const std::string& text, diagnose::Case& known) {
  if (text.empty()) return {};
  EP_TRY(auto recipe, kinds::parse_answer(text));
  // Class labels are always needed, tables of other kinds only if an app answered.
  if (kinds::id_of(recipe) == kinds::AnswerId::kClasses) EP_CHECK(kinds::load_tables(recipe));
  known.answers = std::move(recipe);
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
  known.mapping = judgement.mapping;
  known.metric = judgement.metric.get();
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
