// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/evidence.h"

namespace edgeprobe::report {

/// Evidence as a plain sentence with its numbers. Names from files are sanitized.
std::string evidence_text(const diagnose::Evidence& evidence);
std::vector<std::string> evidence_texts(const std::vector<diagnose::Evidence>& evidence);

}  // namespace edgeprobe::report
