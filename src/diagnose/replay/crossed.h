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

/// The reference's model on the model inputs that the target recorded: what is left between the two
/// is the model's doing. Empty when the recorded input does not fit the reference's.
Result<Answers> reference_on_recorded(const Study& study, const std::vector<std::uint32_t>& frames,
                                      const Control& control);

/// The target's own model on the model inputs that the reference recorded. Nothing when it is not
/// at hand, or takes another size or type.
Result<std::optional<Answers>> on_reference_input(const Study& study,
                                                  const std::vector<std::uint32_t>& frames,
                                                  const Control& control);

/// The recorded model inputs of one frame as these specs take them (-1: open), each by its name;
/// nothing where one is missing or does not fit. Inputs at the places `states` may be missing, and
/// are zeros then: a state that was not recorded, or holds NaN.
Result<std::optional<std::vector<Tensor>>> recorded_inputs(
    const trace::Reader& reader, std::uint32_t frame, const std::vector<TensorSpec>& wanted,
    const std::vector<std::size_t>& states = {});

/// Whether an input has one size in some frames and another in others.
bool has_several_sizes(const trace::Reader& reader);

/// Runs a model on what a trace recorded, by the names of its inputs. No answers where the inputs
/// do not fit.
Result<Answers> on_recorded(const pipeline::Pipeline& model, const trace::Reader& reader,
                            const std::vector<std::uint32_t>& frames, const std::string& title,
                            const Control& control);

/// The reference on its own inputs, but for those of these names, which are the target's.
Result<Answers> reference_with(const Study& study, const std::set<std::string>& of_target,
                               const std::vector<std::uint32_t>& frames, const Control& control);

/// Whose recorded inputs a model gets: the target's, all or those of these names, else the
/// reference's.
struct InputsOf {
  bool all_of_target = false;
  std::set<std::string> of_target = {};
};
/// The answers of a model in these frames with its states fed back as meant, over all frames of the
/// target in their order. Nothing where the recorded inputs do not fit the model, or where it keeps
/// a state of its own.
Result<std::optional<Answers>> with_states_carried(pipeline::Pipeline& model, const Study& study,
                                                   const std::vector<std::uint32_t>& frames,
                                                   const InputsOf& inputs_of,
                                                   const Control& control);

/// The answers of a model that keeps a state of its own, over these frames in their order, on the
/// target's recorded inputs; its state goes back to the beginning in front of `resets` and of the
/// first. Nothing where the recorded inputs do not fit. The session is at a beginning afterwards.
Result<std::optional<Answers>> with_resets(pipeline::Pipeline& model, const Study& study,
                                           const std::vector<std::uint32_t>& frames,
                                           const std::set<std::uint32_t>& resets,
                                           const Control& control);

}  // namespace edgeprobe::diagnose
