// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "family/configuration.h"
#include "family/values.h"

namespace edgeprobe::family {

/// Sections of NN-Stretch's files that describe training, and those without a meaning here.
const std::vector<std::string>& training_sections();
const std::vector<std::string>& ignored_sections();

/// JSON of OPTIM, TRAIN, TEST and BN: values of the file, and pycls' defaults for the others.
/// `file` is the whole file. Adds a sentence to `warnings` for a value that this project's trainer
/// ignores.
Result<std::string> training_of(const Value& file, std::vector<std::string>& warnings);
/// The sizes of pictures in TRAIN and TEST, and the constants of batch norms in BN; values that the
/// file does not state stay.
Status take_sizes_and_norms(const Value& file, Configuration& out);

}  // namespace edgeprobe::family
