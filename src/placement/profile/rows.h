// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "placement/profile/profile.h"

/// Profiles as a table in CSV (docs/reference/verbs.md).
namespace edgeprobe::placement {

struct Column {
  const char* name;
  bool is_number = true;
};
/// In the order of the file.
std::span<const Column> profile_columns();

/// One configuration: a field for each column, "" where it is not known. Times in microseconds,
/// energy in microjoules.
class Row {
 public:
  Row();
  explicit Row(std::vector<std::string> fields) : fields_(std::move(fields)) {}
  std::string& operator[](std::string_view column);
  const std::string& operator[](std::string_view column) const;
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  std::vector<std::string> fields_;
};

/// Puts figures into their columns, and a status.
void tell(Row& row, const Figures& figures);

/// With the line of names. Texts are in quotes where they need them, and never hold a line end.
std::string to_csv(const std::vector<Row>& rows);
/// What to_csv() wrote. kUsage for a text of other columns, or with a row that is not whole: the
/// sentence names the line.
Result<std::vector<Row>> rows_from_csv(std::string_view text);
/// An array of objects, null for what is not known.
std::string to_json(const std::vector<Row>& rows);

}  // namespace edgeprobe::placement
