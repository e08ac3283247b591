// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

using ByName = std::map<std::string, task::Annotation>;

/// Annotations as COCO's files have them ("images", "annotations", "categories"): key points where
/// annotations hold any, else boxes; an image without one holds no thing. A class is the place of
/// its category's name among `classes`, or without those the category's number. kCorrupt names the
/// place in the file.
Result<ByName> parse_coco(ByteView json, const std::vector<std::string>& classes);

}  // namespace edgeprobe::dataset
