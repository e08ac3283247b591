// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::precision {

/// Whether an operator multiplies operands, which rounds_products() schemes round.
bool multiplies(const std::string& type);
/// Whether it adds up in a way that is not emulated: said rather than passed over.
bool adds_otherwise(const std::string& type);

}  // namespace edgeprobe::precision
