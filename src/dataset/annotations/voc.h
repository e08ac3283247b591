// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "core/bytes.h"
#include "core/result.h"
#include "dataset/annotations/class_numbers.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// One picture's file of Pascal VOC (<annotation> with <filename>, <size>, <object>s): its name and
/// its boxes. Corners are numbers of pixels, counted from 1, both inside, as the development kit
/// has them: a box from 1 to 10 is 10 pixels wide and begins at 0. <difficult> objects count as
/// COCO's crowds. Classes get numbers by their names. kCorrupt names the line.
Result<std::pair<std::string, task::TrueBoxes>> parse_voc(ByteView xml, ClassNumbers& numbers);

}  // namespace edgeprobe::dataset
