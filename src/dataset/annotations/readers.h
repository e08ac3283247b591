// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// A NumPy archive of annotations: "samples", the names, and one of "labels" (n), "masks" (n, h,
/// w), "anomalies" (n), "identities" (n), "vectors" (n, d), "boxes" (m, 6: place in "samples", x0,
/// y0, x1, y1, class), "points" (n, k, 3: x, y, v); beside the last two "sizes" (n, 2: width,
/// height). kCorrupt names the array and the row.
Result<std::map<std::string, task::Annotation>> parse_arrays(ByteView npz);

/// Numbers of classes by their names: the lines of a file of names, or in the order in which
/// names come.
class ClassNumbers {
 public:
  explicit ClassNumbers(std::vector<std::string> names)
      : names_(std::move(names)), given_(!names_.empty()) {}

  /// Nothing where a file of names was given and does not hold this one.
  std::optional<int> of(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<int>(i);
    if (given_) return std::nullopt;
    names_.emplace_back(name);
    return static_cast<int>(names_.size() - 1);
  }
  bool are_given() const { return given_; }

 private:
  std::vector<std::string> names_;
  bool given_;
};

using ByName = std::map<std::string, task::Annotation>;

/// Annotations as COCO's files have them ("images", "annotations", "categories"): key points where
/// annotations hold any, else boxes; an image without one holds no thing. A class is the place of
/// its category's name among `classes`, or without those the category's number. kCorrupt names the
/// place in the file.
Result<ByName> parse_coco(ByteView json, const std::vector<std::string>& classes);

/// A class for each pixel from a PNG or BMP: the numbers of its palette, or its gray values; 255
/// counts neither way. kUnsupported for pictures with colours.
Result<task::TrueMask> read_mask(const std::filesystem::path& file);

/// A CSV table of annotations by the column `file`; which columns stand beside it says their kind:
/// label; x0, y0, x1, y1 (one box a line, with label, crowd, width, height); anomaly; text;
/// identity; mask (a gray picture, relative to `folder`). Other columns are ignored. kCorrupt names
/// the line.
Result<std::map<std::string, task::Annotation>> parse_table(
    std::string_view text, const std::filesystem::path& folder,
    const std::vector<std::string>& classes);

/// One picture's file of Pascal VOC (<annotation> with <filename>, <size>, <object>s): its name and
/// its boxes. Corners are numbers of pixels, counted from 1, both inside, as the development kit
/// has them: a box from 1 to 10 is 10 pixels wide and begins at 0. <difficult> objects count as
/// COCO's crowds. Classes get numbers by their names. kCorrupt names the line.
Result<std::pair<std::string, task::TrueBoxes>> parse_voc(ByteView xml, ClassNumbers& numbers);

}  // namespace edgeprobe::dataset
