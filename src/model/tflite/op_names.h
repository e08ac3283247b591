// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::model {

/// Codes of the TFLite schema with special treatment.
inline constexpr int kCustomOp = 32;

/// The schema's name of a built-in operator ("CONV_2D" for 3); "BUILTIN_<code>" for a code newer
/// than this table.
std::string builtin_name(int code);

}  // namespace edgeprobe::model
