// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compare/outputs/agreement.h"
#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// The version of docs/reference/report.schema.json that render_json() follows. A new minor version
/// added keys or words.
inline constexpr const char* kSchemaVersion = "1.5";

struct JsonOptions {
  Images images = Images::kFull;  ///< PNG in base64: output to a pipe has no accompanying files.
};

/// The verdict as JSON (RFC 8259), indented, ASCII, with keys in a fixed order and a final newline.
/// Names are not truncated; broken UTF-8 becomes U+FFFD; NaN, infinities and absent values become
/// null.
std::string render_json(const diagnose::Verdict& verdict, const JsonOptions& options = {});

/// The value of the key "first_layer"; null if there is none.
nlohmann::ordered_json first_layer_json(const std::optional<diagnose::FirstLayer>& first);

/// Maximum size of a picture in the JSON, in pixels: a whole report stays below a megabyte, so that
/// it passes through pipes and logs, and inputs of small models are not scaled.
inline constexpr int kMostJsonPictureEdge = 128;

/// The samples whose inputs are shown: their pictures, and the answers of both sides.
nlohmann::ordered_json samples_json(const diagnose::Verdict& verdict, Images images);

/// The key `written_fix` of a report; null if no fix was requested.
nlohmann::ordered_json written_fix_json(const diagnose::Verdict& verdict,
                                        const std::optional<diagnose::WrittenFix>& fix);
/// fix.json in the folder of the fix.
std::string fix_summary_json(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix);

/// Results of comparing recorded answers (docs/reference/report.md); null if there are none.
nlohmann::ordered_json answers_json(const std::optional<compare::AnswerAgreement>& answers);
/// A user's metric: both sides and their difference; null if there is none.
nlohmann::ordered_json metric_json(const std::optional<task::MetricResult>& metric);
/// One evaluation: the metric of both sides, their difference, and the classes.
nlohmann::ordered_json evaluation_json(const std::optional<task::Evaluation>& evaluation);

}  // namespace edgeprobe::report
