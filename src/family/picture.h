// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "family/network.h"

namespace edgeprobe::family {

/// The branched network as SVG, from top to bottom: a box for each branch, as high as its share of
/// the work, in the colour of its processor.
std::string picture(const Network& network);

}  // namespace edgeprobe::family
