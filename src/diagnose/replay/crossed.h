// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/case/counterfactual.h"
#include "diagnose/case/study.h"
#include "pipeline/spec.h"

namespace edgeprobe::diagnose {

/// Runs the reference's model on the target's recorded model inputs: the remaining difference comes
/// from the model. Empty if the recorded input does not fit the reference's model.
Result<Answers> reference_on_recorded(const Study& study, const std::vector<std::uint32_t>& frames,
                                      const Control& control);

/// Runs the target's own model on the reference's recorded model inputs. Nothing if the model is
/// not available or takes another size or type.
Result<std::optional<Answers>> on_reference_input(const Study& study,
                                                  const std::vector<std::uint32_t>& frames,
                                                  const Control& control);

/// The recorded model inputs of one frame, by name, for these specs (-1: open); nothing if one is
/// missing or does not fit. Inputs at indices in `states` may be missing and are then zeros: a
/// state that was not recorded, or holds NaN.
Result<std::optional<std::vector<Tensor>>> recorded_inputs(
    const trace::Reader& reader, std::uint32_t frame, const std::vector<TensorSpec>& wanted,
    const std::vector<std::size_t>& states = {});

/// True if an input changes its size between frames.
bool has_several_sizes(const trace::Reader& reader);

/// Runs a model on a trace's recorded inputs, matched by name. No answers if the inputs do not fit.
Result<Answers> on_recorded(const pipeline::Pipeline& model, const trace::Reader& reader,
                            const std::vector<std::uint32_t>& frames, const std::string& title,
                            const Control& control);

/// Runs the reference on its own inputs, except for the inputs named in `of_target`, which come
/// from the target.
Result<Answers> reference_with(const Study& study, const std::set<std::string>& of_target,
                               const std::vector<std::uint32_t>& frames, const Control& control);

/// Source of a model's inputs: the target's for all inputs or those in `of_target`, else the
/// reference's.
struct InputsOf {
  bool all_of_target = false;
  std::set<std::string> of_target = {};
};
/// Answers of a model in these frames with its states fed back correctly, over all of the target's
/// frames in order. Nothing if the recorded inputs do not fit the model, or it keeps a state
/// inside.
Result<std::optional<Answers>> with_states_carried(pipeline::Pipeline& model, const Study& study,
                                                   const std::vector<std::uint32_t>& frames,
                                                   const InputsOf& inputs_of,
                                                   const Control& control);

/// Answers of a model with a state inside, over these frames in order, on the target's recorded
/// inputs. Resets the state before the first frame and before those in `resets`. Nothing if the
/// recorded inputs do not fit. Leaves the session reset.
Result<std::optional<Answers>> with_resets(pipeline::Pipeline& model, const Study& study,
                                           const std::vector<std::uint32_t>& frames,
                                           const std::set<std::uint32_t>& resets,
                                           const Control& control);

}  // namespace edgeprobe::diagnose
