// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"

namespace edgeprobe::cli {

/// `--labels folders` numbers folders by their names, which need not be the order of the model's
/// classes. A sentence where there are fewer folders than classes and no --classes; else empty.
std::string folders_in_doubt(const DataFlags& flags, const std::vector<dataset::Sample>& samples,
                             const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::cli
