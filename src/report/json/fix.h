// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// The key `written_fix` of a report; null where no fix was asked for.
nlohmann::ordered_json written_fix_json(const diagnose::Verdict& verdict,
                                        const std::optional<diagnose::WrittenFix>& fix);
/// fix.json in the folder of the fix.
std::string fix_summary_json(const diagnose::Verdict& verdict, const diagnose::WrittenFix& fix);

}  // namespace edgeprobe::report
