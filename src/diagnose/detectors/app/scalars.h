// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/detectors/app/categories.h"
#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Tests each column between the frames that fail and the others. Columns and `fails` are in frame
/// order.
ScalarStudy test_scalars(const std::vector<ScalarColumn>& columns, const std::vector<bool>& fails,
                         std::string failing, const std::vector<CategoryColumn>& categories = {});

/// Returns the frames that fail and the scalars that go with them; nothing if the app logged no
/// scalar.
Result<Findings> find_scalars(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
