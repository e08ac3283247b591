// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

/// The causes in front of the model, one function for each way in which inputs are compared.
namespace edgeprobe::diagnose {

/// What the app makes of texts otherwise than the reference's recipe and tokenizer do. A change
/// that gives exactly the recorded ids is a cause; confirmed when more than luck speaks for it, a
/// note where the reference, fed with what the app fed, stays within the floor of its answers.
Result<Findings> find_text(const Examination& examined, const Control& control);

/// Inputs that differ from the reference's, each by its name: exchanged, scaled, constant, not
/// finite, or otherwise. Confirmed where the reference, fed with that one as the app feeds it,
/// moves away from its own answers by more than the floor.
Result<Findings> find_tensor_inputs(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
