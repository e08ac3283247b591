// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/result.h"

namespace edgeprobe::cli {

/// How `model` was made, as docs/reference/trace-format.md lists it for "edgeprobe.run", from the
/// JSON of the `convert` that wrote it. kUsage if the file is another one, or describes another
/// model.
Result<std::map<std::string, std::string>> conversion_facts(const std::string& file,
                                                            const std::filesystem::path& model);

}  // namespace edgeprobe::cli
