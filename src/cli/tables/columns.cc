// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/columns.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

// Counts code points: continuation bytes take no column.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

std::string count_text(double count) {
  constexpr std::array kUnits{"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return number(count, 3) + kUnits[unit];
}

void Columns::add(std::vector<std::string> row) {
  for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], width(row[i]));
  rows_.push_back(std::move(row));
}

void Columns::write(std::ostream& out) const {
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths_[i] - width(row[i]), ' ');
      line += " " + (alignment_[i] == '>' ? padding + row[i] : row[i] + padding) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

}  // namespace edgeprobe::cli
