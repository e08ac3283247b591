// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/file.h"
#include "diagnose/verdict/evidence.h"
#include "source_dir.h"

namespace edgeprobe::report {

/// Names in the second column of the row "| `kind` | `value`, `value` | …" of
/// docs/reference/report.md.
inline std::set<std::string> documented_values(const std::string& docs, const std::string& kind) {
  const std::size_t row = docs.find("| `" + kind + "` |");
  if (row == std::string::npos) return {"no row"};
  const std::size_t begin = docs.find('|', row + 1), end = docs.find('|', begin + 1);
  const std::string cell = docs.substr(begin, end - begin);
  static const std::regex quoted("`(\\w+)`");
  std::set<std::string> names;
  for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), none; at != none; ++at)
    names.insert((*at)[1]);
  return names;
}

/// Checks that the rows of docs/reference/report.md under `heading` equal the values of the
/// samples, by kind.
template <class Statement>
void expect_documented(const std::vector<Statement>& samples, const std::string& heading) {
  const auto page =
      read_file(std::string(edgeprobe::test::source_dir()) + "/docs/reference/report.md");
  ASSERT_TRUE(page) << page.error().what;
  std::string docs(ByteView(*page).text());
  ASSERT_NE(docs.find(heading), std::string::npos) << heading;
  docs.erase(0, docs.find(heading) + heading.size());
  docs.resize(docs.find("\n#"));
  std::map<std::string, std::set<std::string>> given;
  for (const Statement& one : samples) {
    auto& names = given[name(one.kind)];
    for (const auto& [value, held] : one.values) names.insert(value);
  }
  for (const auto& [kind, names] : given) EXPECT_EQ(documented_values(docs, kind), names) << kind;
}

}  // namespace edgeprobe::report
