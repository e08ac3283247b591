// SPDX-License-Identifier: Apache-2.0
#include "cli/train/epoch_table.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

struct EpochColumn {
  const char* heading;
  const char* key;
  std::size_t width;
  bool is_share;
};

constexpr std::array<EpochColumn, 7> kEpochColumns{
    {{"epoch", "epoch", 5, false},
     {"phase", "phase", 7, false},
     {"loss", "loss", 9, false},
     {"accuracy", "accuracy", 9, true},
     {"val. loss", "validation_loss", 10, false},
     {"val. accuracy", "validation_accuracy", 14, true},
     {"seconds", "seconds", 8, false}}};

std::string cell(const nlohmann::ordered_json& row, const EpochColumn& column) {
  const auto at = row.find(column.key);
  if (at == row.end() || at->is_null()) return "-";
  if (at->is_string()) return sanitized(at->get<std::string>(), 20);
  if (at->is_number_integer()) return at->dump();
  return column.is_share ? percent(at->get<double>()) : number(at->get<double>());
}

}  // namespace

void EpochTable::add(const nlohmann::ordered_json& row, bool before) {
  const auto line = [&](auto&& text) {
    std::string all;
    for (const EpochColumn& column : kEpochColumns) {
      const std::string one = text(column);
      all +=
          std::string(column.width > one.size() ? column.width - one.size() : 0, ' ') + one + " ";
    }
    return all;
  };
  if (!has_heading_)
    out_ << line([](const EpochColumn& column) { return std::string(column.heading); }) << "\n";
  has_heading_ = true;
  out_ << line([&](const EpochColumn& column) { return cell(row, column); })
       << (before ? " (before)" : "") << std::endl;
}

}  // namespace edgeprobe::cli
