// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <vector>

#include "placement/profile/rows.h"

namespace edgeprobe::cli {

/// The figures for people, and why energy is not known.
void write_profiles(std::ostream& out, const std::vector<placement::Row>& rows);

}  // namespace edgeprobe::cli
