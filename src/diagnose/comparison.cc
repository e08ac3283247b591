// SPDX-License-Identifier: Apache-2.0
#include "diagnose/comparison.h"

#include "diagnose/compared_answers.h"
#include "diagnose/detectors/model/drift.h"
#include "diagnose/examination/decide.h"
#include "diagnose/pictures.h"

namespace edgeprobe::diagnose {

Result<Verdict> comparison(const Case& known, compare::Agreement agreement, double floor) {
  const Study study = study_of(known, std::move(agreement));
  Verdict verdict;
  verdict.layers = layer_drifts(study.agreement);
  verdict.coverage = coverage_of(study.agreement);
  verdict.warnings = study.agreement.problems;
  verdict.task = task_result(study, {});
  verdict.answer_agreement = study.agreement.answers;
  verdict.output_distance = study.agreement.output_distance;
  verdict.output_floor = floor;
  verdict.output_distance_kind = name(study.agreement.output_distance_kind);
  verdict.frame_distances = frame_distances(study, floor);
  EP_TRY(verdict.compared_answers, compared_answers(study));
  EP_TRY(verdict.pictures, recorded_inputs(study));
  return verdict;
}

}  // namespace edgeprobe::diagnose
