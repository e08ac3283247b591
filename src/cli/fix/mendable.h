// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/fix/judged.h"

namespace edgeprobe::cli {

/// Why quantising the reference again would not help; empty if it may.
std::string no_use_of_quantising(const Judged& judged);

/// True if a fault before or inside the model is confirmed.
bool has_input_fault(const diagnose::Verdict& verdict);
bool has_model_fault(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::cli
