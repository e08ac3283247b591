// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/by_values.h"

#include <cmath>

#include "diagnose/input/extent.h"
#include "diagnose/input/recorded_pairs.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose {
namespace {

/// RMS distance over the frames that differ, in steps of `unit`.
double distance_of(const tensors::Pairs& pairs, double unit) {
  double squares = 0;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i)
      squares += std::pow(double(pairs.all[at].fed[i]) - double(pairs.all[at].wanted[i]), 2);
  const double steps = pairs.codes && pairs.codes->scale > 0 ? pairs.codes->scale / unit : 1 / unit;
  return std::sqrt(squares / double(pairs.values() * pairs.differs.size())) * steps;
}

}  // namespace

Result<InputEvidence> or_by_values(const Study& study, InputEvidence evidence,
                                   const Control& control) {
  evidence.is_shown = false;
  if (!evidence.diagnosis || evidence.diagnosis->status != InputDiagnosis::Status::kPartial)
    return evidence;
  EP_TRY(const auto pairs,
         recorded_pairs(study, study.input.target, study.input.reference, control));
  if (pairs.differs.empty()) return evidence;
  auto change = tensors::change_of_all(pairs);
  if (!change) change = tensors::change_of_some(pairs);
  if (!change) {
    tensors::Where where = tensors::where_of(pairs);
    where.of_other_frames = tensors::of_other_frames(pairs);
    evidence.place = tensors::worded(where);
    return evidence;
  }
  InputFault fault;
  fault.kind = change->kind;
  fault.detail = "the app's model input" + tensors::in_frames(pairs) + " " + change->detail;
  fault.alternatives = std::move(change->alternatives);
  fault.contribution = distance_of(pairs, gray_step(study));
  InputDiagnosis named;
  named.status = InputDiagnosis::Status::kFound;
  named.as_recorded = true;
  named.residual_before = fault.contribution;
  named.frames_used = named.frames_agreeing = pairs.all.size();
  named.faults.push_back(std::move(fault));
  evidence.diagnosis = std::move(named);
  return evidence;
}

}  // namespace edgeprobe::diagnose
