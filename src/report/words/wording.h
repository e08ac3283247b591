// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// Words and numbers that the text and the HTML page share. A value that is absent, NaN or infinite
/// is "–".

/// "the first layer that differs is #12 AVERAGE_POOL_2D ('pool'); before it all 12 are equal", and
/// by which rule. Printable.
std::string first_layer_sentence(const diagnose::FirstLayer& first);

/// "The first layer with more NaN or infinite values than the reference's is ...", with the counts
/// of both; "" when there is none. Printable.
std::string non_finite_sentence(const diagnose::Verdict& verdict);

/// What the process returns for this outcome: 0 agrees, 3 differs, 4 undecided.
int exit_code(diagnose::Outcome outcome);
/// One sentence on what the outcome means.
const char* meaning(diagnose::Outcome outcome);

/// The verdict's headline, or a plain sentence when it has none. Printable.
std::string headline(const diagnose::Verdict& verdict);
/// A cause's detail as a sentence: "the app feeds …" gets a capital and a full stop. Printable.
std::string sentence(const std::string& detail);
/// kChannelOrder -> "channel order".
/// How many of the app's answers are those of the reference's recipe.
std::string answers_sentence(const diagnose::AnswerStudy& answers);
std::string kind_title(diagnose::CauseKind kind);
/// "opencv" -> "OpenCV"; unknown keys as they are. Printable.
std::string api_title(const std::string& api);
/// The keys of Cause::fix_code as they are shown: opencv, android, numpy, then the rest.
std::vector<std::string> api_order(const diagnose::Cause& cause);

bool known(const std::optional<double>& value);
/// Fixed decimals; values that would print as zero or need more than seven digits become 1.2e-07.
std::string decimals(const std::optional<double>& value, int places);
/// Significant digits.
std::string digits(const std::optional<double>& value, int significant = 3);
/// 0.4123 -> "41.2 %".
std::string share(const std::optional<double>& value);
/// A task metric: a percentage when its name ends in "accuracy", else four digits.
std::string metric_value(const std::string& metric, const std::optional<double>& value);
/// "36.3 to 46.4 %"; empty when there is no interval.
std::string metric_interval(const std::string& metric,
                            const std::optional<diagnose::Interval>& interval);
/// "top1_accuracy" -> "accuracy". Printable.
std::string metric_title(const std::string& metric);
/// "p = 0.021", "p < 0.0001"; empty when absent.
std::string p_text(const std::optional<double>& p);
/// "93.1 % accuracy", "98.0 % of the output distance", or "– (the reason why not)".
std::string restored_text(const diagnose::Cause& cause);
/// "restored", or "restored with fixes 1 to 2": confirmed causes count their fixes cumulatively
/// (`rank` from 0).
std::string restored_label(std::size_t rank);
/// The confirmed cause whose `restored` says what all fixes together bring back to the outputs, or
/// null when the task figures say it already.
const diagnose::Cause* fixed_outputs(const diagnose::Verdict& verdict);
/// "total_variation" -> "mean total variation".
std::string distance_title(const std::string& kind);

/// "Layer 12 'block5/project' (CONV_2D)", with how many more there are. Printable.
std::string layer_text(const diagnose::Cause& cause);

/// A layer's drift: RMSE over range; 0 when every value is equal; nothing when it cannot be given.
std::optional<double> drift(const diagnose::LayerDrift& layer);
/// drift() in four decimals; "0" when every value is equal.
std::string drift_text(const diagnose::LayerDrift& layer);
/// Indices of the layers, largest drift first; differing NaN/Inf before all, unknown last.
std::vector<std::size_t> worst_first(const std::vector<diagnose::LayerDrift>& layers);
/// "input" for index -1, else the number.
std::string index_text(const diagnose::LayerDrift& layer);
/// What the numbers alone do not say about a layer ("exact", "3 NaN/Inf differ"); often empty.
std::string layer_note(const diagnose::LayerDrift& layer);

/// Pointers to the causes with this status, in the verdict's order.
std::vector<const diagnose::Cause*> with_status(const diagnose::Verdict& verdict,
                                                diagnose::CauseStatus status);

/// How long a sentence or a name from outside may get before it ends in "…".
inline constexpr std::size_t kLongestSentence = 1000;
inline constexpr std::size_t kLongestName = 160;

}  // namespace edgeprobe::report
