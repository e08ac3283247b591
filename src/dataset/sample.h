#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/image.h"

namespace edgeprobe::dataset {

/// One picture, ready for a pipeline.
struct Loaded {
  preprocess::Image image;
  Bytes encoded;            ///< The file as it was read; empty when only pixels are known.
  std::string sha256;       ///< Of `encoded`, or of the pixels when that is empty.
  int exif_orientation = 1; ///< As recorded; pixels are not turned by it.
};

/// A sample that has not been read yet. Copies share whatever `load` refers to.
struct Sample {
  std::string name;            ///< Path relative to the dataset, '/' between parts.
  std::optional<int> label;    ///< Index of the true class.
  std::function<Result<Loaded>()> load;
};

/// A sample that could not be used, and why.
struct Unreadable {
  std::string name;
  std::string why;
};

/// Decodes one encoded picture.
Result<Loaded> load_encoded(Bytes encoded, std::string_view name);

}  // namespace edgeprobe::dataset
