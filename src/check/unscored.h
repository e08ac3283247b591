// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dataset/sample.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::check {

/// Why annotations count in no score, and what would make them count; empty where they do, or
/// where there is none but classes, which are read from the outputs.
std::string unscored(const std::vector<dataset::Sample>& samples, const diagnose::Verdict& verdict);

}  // namespace edgeprobe::check
