// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "placement/accuracy/answers.h"
#include "placement/profile/profile.h"

/// Profiles as a table in CSV (docs/reference/verbs.md).
namespace edgeprobe::placement {

struct Column {
  const char* name;
  bool is_number = true;
};
/// In file order.
std::span<const Column> profile_columns();

/// One configuration: a field for each column, "" if unknown. Times in microseconds, energy in
/// microjoules.
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

/// Puts figures and a status into their columns.
void tell(Row& row, const Figures& figures);
/// The same for the accuracy, as fractions.
void tell(Row& row, const Answers& answers);

/// With a header line. Texts are quoted where necessary, and never contain a newline.
std::string to_csv(const std::vector<Row>& rows);
/// Parses the result of to_csv(), also of a version without columns for the accuracy. kUsage, with
/// the line, for other columns or an incomplete row.
Result<std::vector<Row>> rows_from_csv(std::string_view text);
/// An array of objects, with null for unknown values.
std::string to_json(const std::vector<Row>& rows);

}  // namespace edgeprobe::placement
