// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/verdict/verdict.h"
#include "pipeline/spec.h"

namespace edgeprobe::check {

/// Says in the warnings of a verdict that does not agree what lint finds in the target's file at
/// the layers that causes blame, and that weights alone are 8-bit. Nothing for a file that lint
/// cannot read.
void add_file_findings(const pipeline::Pipeline& target, diagnose::Verdict& verdict);

}  // namespace edgeprobe::check
