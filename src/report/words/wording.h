// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// Words and numbers shared by the text and the HTML page. A value that is absent, NaN or infinite
/// is "–".

/// "the first layer that differs is #12 AVERAGE_POOL_2D ('pool'); before it all 12 are equal", and
/// the rule applied. Printable.
std::string first_layer_sentence(const diagnose::FirstLayer& first);

/// "The first layer with more NaN or infinite values than the reference's is ...", with both
/// counts; "" if there is none. Printable.
std::string non_finite_sentence(const diagnose::Verdict& verdict);

/// The number of frames with layers, and which share of faulty frames they may have missed; "" if
/// all compared frames have layers, or none has.
std::string layer_frames_sentence(const diagnose::Coverage& coverage);

/// The process's exit code for this outcome: 0 agrees, 3 differs, 4 undecided.
int exit_code(diagnose::Outcome outcome);
/// The same for a verdict: 130 if the user stopped the check, 1 if it failed.
int exit_code(const diagnose::Verdict& verdict);
/// One sentence on the meaning of the outcome.
const char* meaning(diagnose::Outcome outcome);

/// The verdict's headline, or a plain sentence if it has none. Printable.
std::string headline(const diagnose::Verdict& verdict);
/// A cause's detail as a sentence: "the app feeds …" gets a capital and a full stop. Printable.
std::string sentence(const std::string& detail);
/// States how many of the app's answers match the reference's recipe.
std::string answers_sentence(const diagnose::AnswerStudy& answers);
std::string kind_title(diagnose::CauseKind kind);
/// "opencv" -> "OpenCV"; unknown keys are unchanged. Printable.
std::string api_title(const std::string& api);
/// The keys of Cause::fix_code in display order: opencv, android, numpy, then the rest.
std::vector<std::string> api_order(const diagnose::Cause& cause);

bool known(const std::optional<double>& value);
/// Fixed decimals; values that would print as zero or need more than seven digits become 1.2e-07.
std::string decimals(const std::optional<double>& value, int places);
/// Significant digits.
std::string digits(const std::optional<double>& value, int significant = 3);
/// 0.4123 -> "41.2 %".
std::string share(const std::optional<double>& value);
/// A task metric: a percentage if its name ends in "accuracy", or else four digits.
std::string metric_value(const std::string& metric, const std::optional<double>& value);
/// "36.3 to 46.4 %"; empty without an interval.
std::string metric_interval(const std::string& metric,
                            const std::optional<diagnose::Interval>& interval);
/// "top1_accuracy" -> "accuracy". Printable.
std::string metric_title(const std::string& metric);
/// "p = 0.021", "p < 0.0001"; empty when absent.
std::string p_text(const std::optional<double>& p);
/// "93.1 % accuracy", "98.0 % of the output distance", or "– (the reason)".
std::string restored_text(const diagnose::Cause& cause);
/// "restored", or "restored with fixes 1 to 2": the fixes of confirmed causes are cumulative
/// (`rank` from 0).
std::string restored_label(std::size_t rank);
/// The confirmed cause whose `restored` states the joint effect of all fixes on the outputs; null
/// if the task figures already state it.
const diagnose::Cause* fixed_outputs(const diagnose::Verdict& verdict);
/// "total_variation" -> "mean total variation".
std::string distance_title(const std::string& kind);

/// "Layer 12 'block5/project' (CONV_2D)", with the number of further ones. Printable.
std::string layer_text(const diagnose::Cause& cause);

/// A layer's drift: RMSE over range; 0 if all values are equal; empty if unknown.
std::optional<double> drift(const diagnose::LayerDrift& layer);
/// drift() with four decimals; "0" if all values are equal.
std::string drift_text(const diagnose::LayerDrift& layer);
/// Indices of the layers, largest drift first; layers with differing NaN/Inf come before all
/// others, unknown ones last.
std::vector<std::size_t> worst_first(const std::vector<diagnose::LayerDrift>& layers);
/// "input" for index -1, or else the number.
std::string index_text(const diagnose::LayerDrift& layer);
/// Facts about a layer that its numbers do not show ("exact", "3 NaN/Inf differ"); often empty.
std::string layer_note(const diagnose::LayerDrift& layer);

/// Pointers to the causes with this status, in the verdict's order.
std::vector<const diagnose::Cause*> with_status(const diagnose::Verdict& verdict,
                                                diagnose::CauseStatus status);

/// Maximum length of an untrusted sentence or name; longer ones end in "…".
inline constexpr std::size_t kLongestSentence = 1000;
inline constexpr std::size_t kLongestName = 160;

}  // namespace edgeprobe::report
