// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "dataset/sample.h"

/// Tables of sensor readings as samples (format: dataset/readings/recording.h).
namespace edgeprobe::dataset {

/// True if the file name ends in .csv.
bool is_table_name(const std::filesystem::path& file);
/// True if a .csv file is a recording, judged by its first lines; false if it cannot be read.
bool holds_recording(const std::filesystem::path& file);

/// Like open_folder() of dataset/folder.h, but a folder without pictures and sounds contains .csv
/// tables of readings. `note` receives a message about irregular times; may be null.
Result<std::vector<Sample>> open_folder(const std::filesystem::path& root, const Labels& labels,
                                        std::size_t most, std::string* note);

/// Tables that belong together, opened one after the other.
class Tables {
 public:
  explicit Tables(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  /// Opens the table as one sample. Without an annotation, its class is that of most of its steps.
  /// Errors of read_recording(), and kUsage if its axes differ from those of the first table.
  Result<Sample> open(const std::filesystem::path& file, const std::string& name,
                      std::optional<task::Annotation> annotation);
  /// A sentence about irregular time steps, with details of the first affected table; may be empty.
  std::string note() const;

 private:
  std::vector<std::string> classes_, axes_;
  std::string first_, note_;
  std::size_t other_notes_ = 0;
};

}  // namespace edgeprobe::dataset
