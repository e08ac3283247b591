// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

/// Causes before the model: one function for each way to compare inputs.
namespace edgeprobe::diagnose {

/// Texts that the app prepares differently from the reference's recipe and tokenizer. A change that
/// reproduces the recorded ids exactly is a cause: confirmed if the evidence exceeds chance, a note
/// if the reference, fed with the app's ids, stays within the floor of its own answers.
Result<Findings> find_text(const Examination& examined, const Control& control);

/// Inputs that differ from the reference's, each by name: exchanged, scaled, constant, not finite,
/// or different in another way. Confirmed if the reference, fed with the app's version of that
/// input, moves away from its own answers by more than the floor.
Result<Findings> find_tensor_inputs(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
