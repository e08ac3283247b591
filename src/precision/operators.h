// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::precision {

/// True if an operator multiplies operands, which rounds_products() schemes round.
bool multiplies(const std::string& type);
/// True if it has sums that are not emulated: these are reported.
bool adds_otherwise(const std::string& type);

}  // namespace edgeprobe::precision
