#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::task {

/// Class names, one a line, in the order of the model's output. When every line starts with its index ("7  stingray",
/// as some label files do), the index counts and gaps stay empty. Windows line ends, a byte-order mark and blank lines
/// at the end are fine. Fails with kNotFound, kLimit (16 MB, 1,000,000 classes) or kCorrupt (no line at all, an index
/// twice, a NUL byte).
Result<std::vector<std::string>> read_class_names(const std::filesystem::path& path);
Result<std::vector<std::string>> class_names_from(std::string_view text, std::string_view label);

/// True classes of samples: lines "sample,label" (or tab, or the last run of spaces), where the label is an index or one
/// of `class_names`; '#' starts a comment line, and a first line whose label is neither is a heading. Fails with kCorrupt
/// naming the line: unknown label, index beyond `class_names` (when there are any), one sample with two labels.
Result<std::map<std::string, int>> read_sample_labels(const std::filesystem::path& path,
                                                      const std::vector<std::string>& class_names);
Result<std::map<std::string, int>> sample_labels_from(std::string_view text, std::string_view label,
                                                      const std::vector<std::string>& class_names);

}  // namespace edgeprobe::task
