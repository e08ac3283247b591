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

/// Parses a NumPy archive of annotations: "samples", the names, and one of "labels" (n), "masks"
/// (n, h, w), "anomalies" (n), "identities" (n), "vectors" (n, d), "boxes" (m, 6: index into
/// "samples", x0, y0, x1, y1, class), "points" (n, k, 3: x, y, v); the last two may come with
/// "sizes" (n, 2: width, height). kCorrupt names the array and the row.
Result<std::map<std::string, task::Annotation>> parse_arrays(ByteView npz);

/// Class numbers by name: from the lines of a names file, or in order of first use.
class ClassNumbers {
 public:
  explicit ClassNumbers(std::vector<std::string> names)
      : names_(std::move(names)), given_(!names_.empty()) {}

  /// Empty if a names file was given and does not contain this name.
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

/// Parses annotations in COCO's format ("images", "annotations", "categories"): key points if the
/// annotations have any, or else boxes; an image without annotations has no objects. A class is the
/// index of its category's name in `classes`, or the category's id without them. kCorrupt names the
/// position in the file.
Result<ByName> parse_coco(ByteView json, const std::vector<std::string>& classes);

/// Reads a class for each pixel from a PNG or BMP: its palette indices, or its gray values; 255 is
/// ignored. kUnsupported for colour pictures.
Result<task::TrueMask> read_mask(const std::filesystem::path& file);

/// Parses a CSV table of annotations by the column `file`; the other columns determine the kind:
/// label; x0, y0, x1, y1 (one box per line, with label, crowd, width, height); anomaly; text;
/// identity; mask (a gray picture, relative to `folder`). Unknown columns are ignored. kCorrupt
/// names the line.
Result<std::map<std::string, task::Annotation>> parse_table(
    std::string_view text, const std::filesystem::path& folder,
    const std::vector<std::string>& classes);

/// Parses the Pascal VOC file of one picture (<annotation> with <filename>, <size>, <object>s):
/// returns its name and its boxes. Corners are pixel numbers from 1, inclusive, as in the
/// development kit: a box from 1 to 10 is 10 pixels wide and begins at 0. <difficult> objects count
/// as COCO's crowds. Classes get numbers by name. kCorrupt names the line.
Result<std::pair<std::string, task::TrueBoxes>> parse_voc(ByteView xml, ClassNumbers& numbers);

}  // namespace edgeprobe::dataset
