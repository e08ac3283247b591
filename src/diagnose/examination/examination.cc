// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examination/examination.h"

#include <algorithm>

#include "diagnose/examination/causes.h"
#include "diagnose/examination/decide.h"
#include "diagnose/input/input_scale.h"
#include "diagnose/input/search/examine_input.h"
#include "diagnose/layer_causes/analysis.h"
#include "diagnose/layer_causes/layer_causes.h"

namespace edgeprobe::diagnose {
namespace {

// True if the outputs are beyond the floor or have no distance.
bool outputs_are_off(const Study& study, double floor) {
  return study.agreement.output_distance.value_or(0) > floor ||
         std::any_of(study.agreement.layers.begin(), study.agreement.layers.end(),
                     [](const compare::LayerAgreement& layer) {
                       return layer.stage == trace::Stage::kModelOutput &&
                              layer.moments.non_finite_mismatch > 0;
                     });
}

Result<InputEvidence> input_with_scale(const Study& study, const Control& control) {
  auto input = examine_input(study, control);
  if (!input) return input;
  EP_TRY(input->scale,
         examine_input_scale(study, input->diagnosis ? input->diagnosis->gray_step : 0, control));
  // If codes cannot hold the values of a guessed recipe, the guess may be wrong rather than the
  // codes.
  if (study.known.guessed_recipe && input->scale) input->against_guess = true;
  return input;
}

}  // namespace

Result<Examination> examine(const Case& known, const Control& control) {
  EP_TRY(auto study, diagnose::study(known, control));
  EP_TRY(auto input, input_with_scale(study, control));
  Examination out{std::move(study), std::move(input), 0, {}, {}, {}, {}, {}, {}, {}};
  if (out.study.states) out.states = state::findings(out.study.states->recording);
  out.floor = floor_of(out.study, out.input, is_quantized(known));
  const bool off = outputs_are_off(out.study, out.floor);
  EP_TRY(out.exchanged, examine_output_order(out.study, out.floor, control));
  if (!out.is_exchanged()) {
    EP_TRY(out.layers, examine_layers(out.study, off, control));
  }
  if (out.input.diagnosis) out.suspected_input = input_causes(out.input);
  if (out.layers) {
    const bool input_differs =
        std::any_of(out.suspected_input.begin(), out.suspected_input.end(),
                    [](const Cause& c) { return c.status != CauseStatus::kNote; });
    out.suspected_layers =
        model_causes(known, *out.layers, !input_differs && accuracy_lost(out.study), off);
  }
  // Notes are worth a replay if the outputs are off.
  const bool inside =
      std::any_of(out.suspected_layers.begin(), out.suspected_layers.end(), [&](const Cause& c) {
        return c.repaired_by >= 0 && (c.status == CauseStatus::kConfirmed || off);
      });
  EP_TRY(out.replays, replay_fixes(out.study, out.input, inside ? &*out.layers : nullptr, control));
  if (out.layers && out.layers->skipped.empty()) {
    EP_TRY(out.codes, fitting_codes(out.study, out.layers->pairing, out.floor, control));
  }
  return out;
}

}  // namespace edgeprobe::diagnose
