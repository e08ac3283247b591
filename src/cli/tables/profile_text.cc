// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/profile_text.h"

#include <algorithm>
#include <string>

#include "cli/tables/columns.h"

namespace edgeprobe::cli {

void write_profiles(std::ostream& out, const std::vector<placement::Row>& rows) {
  const bool has_accuracy = std::any_of(rows.begin(), rows.end(), [](const placement::Row& row) {
    return !row["accuracy_status"].empty();
  });
  Columns columns(has_accuracy ? "<>>>>>>>>>" : "<>>>>>>>>");
  std::vector<std::string> head{"cfg",    "latency us", "p10",  "p90",       "quiet runs",
                                "CPU us", "energy uJ",  "MACs", "difference"};
  if (has_accuracy) head.emplace_back("top-1");
  columns.add(std::move(head));
  for (const placement::Row& row : rows) {
    const bool figures = !row["latency"].empty();
    const auto field = [&](const char* name) { return row[name].empty() ? "-" : row[name]; };
    std::vector<std::string> cells{row["cfg"],
                                   field("latency"),
                                   field("p10_us"),
                                   field("p90_us"),
                                   figures ? row["quiet_n"] + " of " + row["n"] : "-",
                                   field("cpu_us"),
                                   field("energy"),
                                   field("macs"),
                                   field("max_abs_d")};
    if (has_accuracy) cells.push_back(field("top1"));
    columns.add(std::move(cells));
  }
  columns.write(out);
  for (const placement::Row& row : rows)
    if (const std::string& why = row["accuracy_status"]; !why.empty() && why != "ok")
      out << "Accuracy of " << row["cfg"] << ": " << why << "\n";
  // Prints each reason once: it is usually the same for all rows.
  std::vector<std::string> reasons;
  for (const placement::Row& row : rows)
    if (const std::string& why = row["energy_status"];
        !why.empty() && why != "ok" &&
        std::find(reasons.begin(), reasons.end(), why) == reasons.end())
      reasons.push_back(why);
  for (const std::string& why : reasons) out << "Energy is not known: " << why << "\n";
}

}  // namespace edgeprobe::cli
