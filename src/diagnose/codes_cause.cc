// SPDX-License-Identifier: Apache-2.0
#include "diagnose/codes_cause.h"

#include <algorithm>

#include "core/text.h"
#include "layers/search/rule.h"
#include "layers/search/trial.h"

namespace edgeprobe::diagnose {
namespace {

/// A good int8 model is within its floor; at this many floors no calibration can fix it.
constexpr double kFloors = 2;

bool blames_codes(const Cause& cause) {
  return cause.stage == CauseStage::kModel &&
         (cause.kind == CauseKind::kInputScale || cause.kind == CauseKind::kQuantization);
}

bool is_confirmed(const Cause& cause) { return cause.status == CauseStatus::kConfirmed; }

Evidence evidence_of(const FittingCodes& codes, compare::OutputDistance kind) {
  Evidence seen{EvidenceKind::kFittingCodes,
                {{"frames", codes.frames},
                 {"distance", codes.fitting},
                 {"target_distance", codes.target},
                 {"unexplained", codes.unexplained},
                 {"kind", name(kind)}}};
  if (codes.target_same && codes.fitting_same) {
    seen.values.emplace("same", *codes.fitting_same);
    seen.values.emplace("target_same", *codes.target_same);
  }
  return seen;
}

const char* const kAgain =
    "edgeprobe convert FLOAT_MODEL --to int8 --recipe RECIPE --data PICTURES -o MODEL  # a "
    "hundred typical pictures, through the app's own recipe";
const char* const kLayers =
    "edgeprobe predict-precision FLOAT_MODEL --precisions int8 --data PICTURES  # layers to keep "
    "in float32; or check --write-fix DIR";

/// Describes the layers' ranges: all too narrow, all too wide, or some of each.
std::string ranges_text(const layers::Analysis& analysis) {
  std::size_t narrow = 0, wide = 0, all = 0;
  for (const layers::Row& row : analysis.rows) {
    const auto& local = row.measured.local;
    if (!local || local->scale_ratio <= 0) continue;
    layers::Figures figures;
    figures.clip = local->clip;
    figures.scale_ratio = local->scale_ratio;
    figures.score = local->score;
    ++all;
    if (local->clip > layers::kSlightClip) ++narrow;
    else wide += layers::too_wide(figures);
  }
  if (narrow == 0 && wide == 0) return "";
  const std::string of = " of " + std::to_string(all) + " layers ";
  std::string text = ": the ranges of ";
  if (narrow > 0) text += std::to_string(narrow) + of + "cut these pictures' values off";
  if (wide > 0)
    text += (narrow > 0 ? ", and the steps of " : "") + std::to_string(wide) +
            (narrow > 0 ? " are wider than they need" : of + "are wider than these pictures need");
  return text;
}

Cause calibration_cause(const Examination& examined) {
  Cause cause;
  cause.kind = CauseKind::kQuantization;
  cause.stage = CauseStage::kModel;
  cause.status = CauseStatus::kConfirmed;
  cause.detail = "the model was calibrated with other values than these pictures make" +
                 (examined.layers ? ranges_text(*examined.layers) : std::string());
  cause.restored_unavailable = Unavailable{UnavailableKind::kOnlyQuantisingAgain};
  cause.fix_code["edgeprobe"] = kAgain;
  return cause;
}

Cause not_served_cause(const FittingCodes& codes, compare::OutputDistance kind) {
  Cause cause;
  cause.kind = CauseKind::kQuantization;
  cause.stage = CauseStage::kModel;
  cause.status = CauseStatus::kConfirmed;
  cause.detail = "int8 does not serve this model: calibrated with " + std::to_string(codes.frames) +
                 " of the very pictures that are judged, it still ";
  if (codes.fitting_same)
    cause.detail += "gives float32's answer on " + percent(*codes.fitting_same) + " of them only";
  else cause.detail += "is " + number(codes.fitting, 2) + " off (" + name(kind) + ")";
  cause.detail += "; some layers have to stay in float32";
  cause.restored_unavailable = Unavailable{UnavailableKind::kNoRepairHelps};
  cause.fix_code["edgeprobe"] = kLayers;
  return cause;
}

/// Confirms the cause that fitting codes prove: one already confirmed, the input's scale, or a new
/// one.
void confirm(const Examination& examined, const Evidence& seen, std::vector<Cause>& causes) {
  auto found = std::find_if(causes.begin(), causes.end(), [](const Cause& one) {
    return blames_codes(one) && is_confirmed(one);
  });
  if (found == causes.end())
    found = std::find_if(causes.begin(), causes.end(), [](const Cause& one) {
      return one.kind == CauseKind::kInputScale && one.status == CauseStatus::kPartial;
    });
  if (found == causes.end()) {
    // If another cause is confirmed, that cause may be the reason why the layers differ, so
    // calibration gets no blame.
    if (std::any_of(causes.begin(), causes.end(), is_confirmed)) return;
    causes.push_back(calibration_cause(examined));
    found = std::prev(causes.end());
  }
  found->status = CauseStatus::kConfirmed;
  if (found->detail.find("calibrat") == std::string::npos)
    found->detail += "; a calibration with these pictures fixes it";
  found->evidence.push_back(seen);
}

}  // namespace

void judge_by_codes(const Examination& examined, std::vector<Cause>& causes) {
  if (!examined.codes || !examined.codes->reproduces()) return;
  const FittingCodes& codes = *examined.codes;
  const compare::OutputDistance kind = examined.study.agreement.output_distance_kind;
  const Evidence seen = evidence_of(codes, kind);
  const bool restores = codes.fitting <= (1 - layers::kRestores) * codes.target;
  if (restores) confirm(examined, seen, causes);
  if (codes.fitting > kFloors * examined.floor) {
    Cause cause = not_served_cause(codes, kind);
    cause.evidence.push_back(seen);
    causes.insert(restores ? causes.end() : causes.begin(), std::move(cause));
  }
  if (codes.unexplained <= examined.floor &&
      std::any_of(causes.begin(), causes.end(), is_confirmed))
    std::erase_if(causes, [](const Cause& one) {
      return one.stage == CauseStage::kModel && one.kind == CauseKind::kUnknown;
    });
}

}  // namespace edgeprobe::diagnose
