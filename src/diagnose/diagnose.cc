// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.h"

#include "diagnose/compared_answers.h"
#include "diagnose/detectors/detectors.h"
#include "diagnose/merge.h"
#include "diagnose/pictures.h"

namespace edgeprobe::diagnose {

Result<Verdict> diagnose(const Case& known, const Control& control) {
  return diagnose(known, detectors(), control);
}

Result<Verdict> diagnose(const Case& known, std::span<const Detector> detectors,
                         const Control& control) {
  EP_TRY(auto examined, examine(known, control));
  std::vector<Findings> findings;
  for (const Detector& detector : detectors) {
    EP_TRY(auto found, detector.find(examined, control));
    findings.push_back(std::move(found));
  }
  auto answers = compared_answers(examined.study);
  if (!answers) return std::move(answers.error()).during("answers");
  FrameDistances distances = frame_distances(examined.study, examined.floor);
  auto pictures = input_pictures(examined.study, examined.input, *answers);
  if (!pictures) return std::move(pictures.error()).during("pictures");
  auto samples = shown_samples(examined.study);
  if (!samples) return std::move(samples.error()).during("answers of the samples");
  Verdict verdict = merge(std::move(examined), std::move(findings));
  verdict.pictures = *std::move(pictures);
  verdict.samples = *std::move(samples);
  verdict.frame_distances = std::move(distances);
  // If the reference's label file is wrong, every such label would be a flip.
  if (!verdict.answers || !verdict.answers->has_wrong_names)
    verdict.compared_answers = *std::move(answers);
  return verdict;
}

}  // namespace edgeprobe::diagnose
