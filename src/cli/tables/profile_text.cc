// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/profile_text.h"

#include <algorithm>
#include <string>

#include "cli/tables/columns.h"

namespace edgeprobe::cli {

void write_profiles(std::ostream& out, const std::vector<placement::Row>& rows) {
  Columns columns("<>>>>>>>>");
  columns.add({"cfg", "latency us", "p10", "p90", "quiet runs", "CPU us", "energy uJ", "MACs",
               "difference"});
  for (const placement::Row& row : rows) {
    const bool figures = !row["latency"].empty();
    const auto field = [&](const char* name) { return row[name].empty() ? "-" : row[name]; };
    columns.add({row["cfg"], field("latency"), field("p10_us"), field("p90_us"),
                 figures ? row["quiet_n"] + " of " + row["n"] : "-", field("cpu_us"),
                 field("energy"), field("macs"), field("max_abs_d")});
  }
  columns.write(out);
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
