// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::dataset {

/// Whether a file holds arrays, by its ending.
bool is_npz_name(std::string_view file_name);

/// The samples of a NumPy archive: an array for each input of the model, by its name (also
/// "model_input/NAME", as `trace export --npz` writes them), whose first axis counts the samples.
/// Beside them may stand: "samples", their names (else "0000", "0001", …); "labels", class indices,
/// which `labels` go before; "sequences", a number or text for each sample: where it changes
/// another sequence begins. Arrays of stages that are no input ("model_output/NAME", …) are left
/// out. Fails as archive::parse_npz(), and with kUsage where the arrays do not count the same
/// samples.
Result<std::vector<Sample>> open_npz(const std::filesystem::path& file, const Labels& labels);

}  // namespace edgeprobe::dataset
