// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "report/words/statement_values.h"

namespace edgeprobe::report {

/// The user's next step, with the command-line flags for it.
std::string hint_text(const diagnose::Hint& hint);
std::vector<std::string> hint_texts(const std::vector<diagnose::Hint>& hints);

/// Why `restored` of a cause is unknown; empty without a reason.
std::string unavailable_text(const std::optional<diagnose::Unavailable>& reason);

/// "its model input is 1x96x96x3 and the reference's 1x32x32x3": for values with the shapes of two
/// models.
std::string unlike_text(const Values& values);

/// Same as a sentence: two models, or one with two input sizes.
std::string sizes_text(const Values& values);

/// The complete first line of a verdict, with unchanged names; empty if it would only repeat the
/// outcome.
std::string headline_text(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::report
