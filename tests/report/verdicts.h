// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// Verdicts of every kind with invented figures, for goldens, schema validation and viewing the
/// page.
diagnose::Verdict channel_order_verdict();  ///< One confirmed cause, labels, pictures, layers.
diagnose::Verdict two_faults_verdict();     ///< Two confirmed causes and a note, no labels.
diagnose::Verdict agrees_verdict();         ///< Nothing wrong; one note.
diagnose::Verdict undecided_verdict();      ///< Too little recorded.
diagnose::Verdict unknown_cause_verdict();  ///< Differs, nearest explanation only.
diagnose::Verdict nearly_verdict();
diagnose::Verdict other_model_verdict();  ///< Other weights.
/// A kernel that computes wrong values, a note inside the model, a layer that was not checked.
diagnose::Verdict layer_culprit_verdict();
/// NaN, infinities, ESC, </script>, broken UTF-8, a 1 MB name.
diagnose::Verdict extreme_verdict();

/// All of the above with their names, and an empty one.
std::vector<std::pair<std::string, diagnose::Verdict>> sample_verdicts();

/// Only for the page: pictures, frames and answers of both sides.
diagnose::Verdict unknown_input_verdict();    ///< 39 of 40 frames differ, for no known reason.
diagnose::Verdict flipped_classes_verdict();  ///< 211 flips of 33 classes.
diagnose::Verdict flipped_boxes_verdict();    ///< One label changes, one box is missing.
diagnose::Verdict hostile_names_verdict();    ///< Every untrusted text contains markup.
std::vector<std::pair<std::string, diagnose::Verdict>> page_verdicts();

}  // namespace edgeprobe::report
