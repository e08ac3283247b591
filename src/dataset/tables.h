// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "dataset/sample.h"

/// Tables of a sensor's readings as samples (dataset/readings/recording.h says what a table holds).
namespace edgeprobe::dataset {

/// Whether a file is called .csv.
bool is_table_name(const std::filesystem::path& file);
/// Whether such a file is a recording, by its first lines; not one that cannot be read.
bool holds_recording(const std::filesystem::path& file);

/// open_folder() (dataset/folder.h): a folder without pictures and sounds is one of .csv tables of
/// readings. `note` receives what is irregular in their times; may be null.
Result<std::vector<Sample>> open_folder(const std::filesystem::path& root, const Labels& labels,
                                        std::size_t most, std::string* note);

/// Tables that go together, opened one after the other.
class Tables {
 public:
  explicit Tables(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  /// The table as one sample. Without an annotation its class is that of most of its steps. Fails
  /// as read_recording(), and with kUsage when its axes are others than those of the first.
  Result<Sample> open(const std::filesystem::path& file, const std::string& name,
                      std::optional<task::Annotation> annotation);
  /// A sentence on steps of time that are irregular, of the first such table in full; or empty.
  std::string note() const;

 private:
  std::vector<std::string> classes_, axes_;
  std::string first_, note_;
  std::size_t other_notes_ = 0;
};

}  // namespace edgeprobe::dataset
