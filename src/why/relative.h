// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"

namespace edgeprobe::why {

/// No one knows without the picture which of the two is upright, or holds RGB: causes of such kinds
/// say what the app does against the reference, and have no fix.
void make_relative(Answer& answer);

/// An answer whose sides were exchanged, in the words of the question.
void exchange_words(Answer& answer);

}  // namespace edgeprobe::why
