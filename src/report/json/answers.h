// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "compare/outputs/agreement.h"

namespace edgeprobe::report {

/// What recorded answers say (docs/reference/report.md); null where there are none.
nlohmann::ordered_json answers_json(const std::optional<compare::AnswerAgreement>& answers);
/// One evaluation: the metric of both sides, their difference, the classes.
nlohmann::ordered_json evaluation_json(const std::optional<task::Evaluation>& evaluation);

}  // namespace edgeprobe::report
