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

/// Searches recorded inputs of any kind for deviations of the app from a recipe.
namespace edgeprobe::diagnose {

/// A sensor's raw data of one frame, and the model input that the app made of it.
struct ObservedInput {
  std::string sample;  ///< Untrusted text.
  dataset::RawInput raw;
  Tensor input;
};
/// `of`: indices into raw.samples; frames without a recorded input are left out. Fails if the trace
/// or a sample cannot be read.
Result<std::vector<ObservedInput>> observed_inputs(const trace::Reader& reader,
                                                   const trace::ReadChannel& input,
                                                   const pipeline::TraceSamples& raw,
                                                   const std::vector<std::size_t>& of);

/// Parameters of the search.
struct InputQuestion {
  kinds::FrontEnd front_end;          ///< From the reference's recipe.
  const TensorSpec& reference_input;  ///< Input of the reference's model.
  const TensorSpec& target_input;     ///< As recorded.
  double gray_step = 0;               ///< See gray_step() in extent.h.
};
struct SearchedInput {
  InputDiagnosis diagnosis;
  InputRows rows;  ///< Order of the values in time; for sound and readings.
};
/// Nothing if no sample has the recipe's kind, and for texts, whose integers are compared directly.
Result<std::optional<SearchedInput>> search_input(const InputQuestion& question,
                                                  const std::vector<ObservedInput>& observed,
                                                  const Control& control);

}  // namespace edgeprobe::diagnose
