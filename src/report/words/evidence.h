// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/evidence.h"

namespace edgeprobe::report {

/// Evidence as a sentence of plain words with its numbers. Names from files are sanitized in it.
std::string evidence_text(const diagnose::Evidence& evidence);
std::vector<std::string> evidence_texts(const std::vector<diagnose::Evidence>& evidence);

}  // namespace edgeprobe::report
