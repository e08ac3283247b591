// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include "compare/recording.h"

namespace edgeprobe::check {

diagnose::Case new_case(const Judgement& judgement, OpenReference& reference,
                        const TensorSpec* target) {
  diagnose::Case known;
  known.gate = judgement.gate;
  known.max_replay = judgement.max_replay;
  known.first_above = judgement.first_above;
  known.reference_pipeline = reference.pipeline ? &*reference.pipeline : nullptr;
  if (!reference.pipeline || !reference.pipeline->default_recipe) return known;
  known.guessed_recipe = true;
  known.stated_range = preprocess::stated_range(reference.pipeline->input()) ||
                       (target && preprocess::stated_range(*target));
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
