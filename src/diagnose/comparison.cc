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

Result<Verdict> cut_short(const Case& whole, CutShort why) {
  Case known = whole;
  known.metric = nullptr;
  // Without a stop: it was asked for already, and the second one ends the program.
  EP_TRY(auto study, diagnose::study(known, {}));
  const std::size_t frames = study.agreement.frames.size();
  if (frames == 0) return std::move(why.error);
  EP_TRY(auto verdict, comparison(known, std::move(study.agreement),
                                  compare::output_floor(is_quantized(known), frames)));
  verdict.outcome = Outcome::kUndecided;
  verdict.headline = {HeadlineKind::kCutShort,
                      {{"frames", frames},
                       {"of", why.frames_wanted},
                       {"during", why.during_diagnosis ? "diagnosis" : "recording"}}};
  if (why.error.kind != ErrorKind::kInterrupted)
    verdict.headline.values.emplace("error", why.error.what);
  if (verdict.output_distance) {
    verdict.headline.values.emplace("distance", *verdict.output_distance);
    verdict.headline.values.emplace("floor", *verdict.output_floor);
  }
  if (whole.metric)
    verdict.warnings.push_back("the metric was not computed: the check ended before");
  verdict.coverage.cut_short = std::move(why);
  return verdict;
}

}  // namespace edgeprobe::diagnose
