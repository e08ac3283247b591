// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/terminal/terminal.h"
#include "cli/train/preparation.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// The samples in their parts, and the names of the classes, without reading more than bytes;
/// recipe and shape are open. With --labels folders, `train` and `val` folders are the parts, and
/// `test` if it is there. `split` receives how the parts came about. kUsage for data that no
/// classifier can learn: fewer than two classes, a class without training samples, classes that
/// only validation or test have.
Result<Preparation> training_data(const DataFlags& flags, nlohmann::ordered_json& split,
                                  Terminal& terminal);

/// Flags of the data with their values, "" for those not given: for the record of a run.
std::vector<std::pair<const char*, std::string>> data_words(const DataFlags& data);

}  // namespace edgeprobe::cli
