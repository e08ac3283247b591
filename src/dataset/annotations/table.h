// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// A CSV table of annotations by the column `file`; which columns stand beside it says their kind:
/// label; x0, y0, x1, y1 (one box a line, with label, crowd, width, height); anomaly; text;
/// identity; mask (a gray picture, relative to `folder`). Other columns are ignored. kCorrupt names
/// the line.
Result<std::map<std::string, task::Annotation>> parse_table(
    std::string_view text, const std::filesystem::path& folder,
    const std::vector<std::string>& classes);

}  // namespace edgeprobe::dataset
