// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// Source of the samples' annotations.
struct Labels {
  bool from_folders = false;  ///< The class is the name of the sample's first folder.
  std::map<std::string, task::Annotation> by_name;  ///< Annotations from a file, by sample name.
  /// Class names by index; with folders, their order determines the index.
  std::vector<std::string> classes;

  bool empty() const { return !from_folders && by_name.empty(); }
};

/// `source` is empty (no labels), "folders", or a file: COCO's JSON (.json), Pascal VOC's XML
/// (.xml, or a folder of these files), a NumPy archive (.npz), or else a CSV table (with a header
/// line; quotes as in RFC 4180; extra columns are ignored) with the column `file` and annotation
/// columns (annotations/readers.h). A `label` is the index of the class or its name in
/// `class_file`, or several separated by ';', any of which is correct. `class_file` holds the class
/// names (names/class_names.h) and may be empty; with "folders" and no class file, the folder names
/// in byte order are the classes. kCorrupt names the position.
Result<Labels> read_labels(std::string_view source, std::string_view class_file);

/// Annotation of the sample with exactly this name, if known.
std::optional<task::Annotation> annotation_of(const Labels& labels, std::string_view sample_name);

}  // namespace edgeprobe::dataset
