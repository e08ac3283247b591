// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "dataset/raw_input.h"
#include "diagnose/input/search/stream_windows.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "kinds/input_kinds.h"
#include "pipeline/inputs/raw_inputs.h"

/// The search for what an app does otherwise than a recipe, from recorded inputs, whatever their
/// kind.
namespace edgeprobe::diagnose {

/// What a sensor gave in one frame, and the model input that the app made of it.
struct ObservedInput {
  std::string sample;  ///< Untrusted.
  dataset::RawInput raw;
  Tensor input;
};
/// `of`: indices into raw.samples; frames without a recorded input are left out. Fails when the
/// trace or a sample does.
Result<std::vector<ObservedInput>> observed_inputs(const trace::Reader& reader,
                                                   const trace::ReadChannel& input,
                                                   const pipeline::TraceSamples& raw,
                                                   const std::vector<std::size_t>& of);

/// What is asked about them.
struct InputQuestion {
  kinds::FrontEnd front_end;          ///< Of the reference's recipe.
  const TensorSpec& reference_input;  ///< Of the reference's model.
  const TensorSpec& target_input;     ///< As it was recorded.
  double gray_step = 0;               ///< See gray_step() in extent.h.
};
struct SearchedInput {
  InputDiagnosis diagnosis;
  InputRows rows;  ///< How values follow each other in time; of sound and readings.
};
/// Nothing when no sample is of the recipe's kind, and for texts, whose integers are compared as
/// they are.
Result<std::optional<SearchedInput>> search_input(const InputQuestion& question,
                                                  const std::vector<ObservedInput>& observed,
                                                  const Control& control);

}  // namespace edgeprobe::diagnose
