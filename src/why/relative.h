// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"

namespace edgeprobe::why {

/// Without the picture, it is unknown which side is upright, or holds RGB: these causes describe
/// the app relative to the reference, and have no fix.
void make_relative(Answer& answer);

/// A sentence about a recorded model, reworded for two tensors: no model is known here, only the
/// reference's tensor.
std::string without_model(std::string text);

/// Rewords an answer with swapped sides for the original question.
void exchange_words(Answer& answer);

}  // namespace edgeprobe::why
