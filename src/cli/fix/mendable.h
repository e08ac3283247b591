// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/fix/judged.h"

namespace edgeprobe::cli {

/// Why quantising the reference again mends nothing; empty: it may.
std::string no_use_of_quantising(const Judged& judged);

/// A fault in front of the model, or inside of it, is confirmed.
bool has_input_fault(const diagnose::Verdict& verdict);
bool has_model_fault(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::cli
