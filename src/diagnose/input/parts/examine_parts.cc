// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/examine_parts.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/input/parts/difference.h"
#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

InputEvidence evidence_of(const RecordedPictures& recorded, InputFault fault) {
  double squares = 0;
  for (const RecordedPicture& one : recorded.pictures) squares += one.distance * one.distance;
  const double distance = std::sqrt(squares / double(recorded.pictures.size()));
  InputDiagnosis diagnosis;
  diagnosis.status = InputDiagnosis::Status::kFound;
  diagnosis.as_recorded = true;
  diagnosis.residual_before = distance;
  diagnosis.frames_used = diagnosis.frames_agreeing = recorded.pictures.size();
  fault.contribution = distance;
  diagnosis.faults.push_back(std::move(fault));
  diagnosis.evidence = {
      {EvidenceKind::kInputDistance,
       {{"distance", distance}, {"frames", recorded.pictures.size()}}},
      {EvidenceKind::kFramesAgree,
       {{"agreeing", recorded.pictures.size()}, {"frames", recorded.pictures.size()}}}};
  InputEvidence evidence;
  evidence.diagnosis = std::move(diagnosis);
  evidence.not_with = recorded.same;
  if (recorded.differing < recorded.all)
    evidence.where = "in " + std::to_string(recorded.differing) + " of " +
                     std::to_string(recorded.all) + " frames";
  return evidence;
}

std::string declared(const Case& known) {
  return known.reference_pipeline && known.reference_pipeline->has_recipe()
             ? preprocess::to_text(known.reference_pipeline->recipe)
             : "";
}

}  // namespace

Result<PartsFound> examine_parts(const Study& study, const Control& control) {
  PartsFound out;
  EP_TRY(const auto recorded, recorded_pictures(study, control));
  if (!recorded) return out;
  const Unequal unequal = unequal_values(*recorded);
  auto fault = channel_sources(*recorded);
  if (!fault) fault = stale_parts(*recorded, unequal);
  if (!fault) fault = borders(*recorded, unequal);
  if (!fault && !control.stopped()) fault = moved_places(*recorded);
  if (!fault && !control.stopped()) fault = own_curves(*recorded);
  if (fault) {
    fault->fix_step = declared(study.known);
    out.named = evidence_of(*recorded, *std::move(fault));
    return out;
  }
  const PlacedDifference difference = describe_place(*recorded, unequal);
  out.where.push_back(difference.evidence);
  out.sentence = difference.sentence;
  return out;
}

Result<std::optional<InputEvidence>> examine_channels(const Study& study, const Control& control) {
  EP_TRY(const auto recorded, recorded_pictures(study, control));
  auto fault = recorded ? channel_sources(*recorded) : std::nullopt;
  if (!fault) return std::optional<InputEvidence>();
  fault->fix_step = declared(study.known);
  return std::optional(evidence_of(*recorded, *std::move(fault)));
}

}  // namespace edgeprobe::diagnose
