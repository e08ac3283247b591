// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <vector>

#include "placement/profile/rows.h"

namespace edgeprobe::cli {

/// Prints the measurements as tables, with the reason if the energy is unknown.
void write_profiles(std::ostream& out, const std::vector<placement::Row>& rows);

}  // namespace edgeprobe::cli
