// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compare/outputs/agreement.h"
#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// The version of docs/reference/report.schema.json that render_json() follows. Minor: keys or
/// words were added.
inline constexpr const char* kSchemaVersion = "1.4";

struct JsonOptions {
  Images images = Images::kFull;  ///< PNG in base64: what goes to a pipe has no file beside it.
};

/// The verdict as JSON (RFC 8259), indented, pure ASCII, keys in a fixed order, one newline at the
/// end. Names are kept whole; broken UTF-8 becomes U+FFFD; NaN, infinities and what is absent
/// become null.
std::string render_json(const diagnose::Verdict& verdict, const JsonOptions& options = {});

/// The key "first_layer" of that; null for nothing.
nlohmann::ordered_json first_layer_json(const std::optional<diagnose::FirstLayer>& first);

/// Bound of a picture in the JSON, in pixels: a whole report stays below a megabyte, so that it
/// passes through pipes and logs, and inputs of small models stay as they are.
inline constexpr int kMostJsonPictureEdge = 128;

/// The samples whose inputs are shown: their pictures, and what both sides answer.
nlohmann::ordered_json samples_json(const diagnose::Verdict& verdict, Images images);

/// The key `written_fix` of a report; null where no fix was asked for.
nlohmann::ordered_json written_fix_json(const diagnose::Verdict& verdict,
                                        const std::optional<diagnose::WrittenFix>& fix);
/// fix.json in the folder of the fix.
std::string fix_summary_json(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix);

/// What recorded answers say (docs/reference/report.md); null where there are none.
nlohmann::ordered_json answers_json(const std::optional<compare::AnswerAgreement>& answers);
/// One evaluation: the metric of both sides, their difference, the classes.
nlohmann::ordered_json evaluation_json(const std::optional<task::Evaluation>& evaluation);

}  // namespace edgeprobe::report
