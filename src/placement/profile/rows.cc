// SPDX-License-Identifier: Apache-2.0
#include "placement/profile/rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/csv.h"
#include "core/text.h"
#include "placement/search/timing.h"

namespace edgeprobe::placement {
namespace {

constexpr Column kColumns[] = {{"cfg", false},
                               {"latency"},
                               {"energy"},
                               {"top1"},
                               {"top5"},
                               {"accuracy_n"},
                               {"top1_low"},
                               {"top1_high"},
                               {"accuracy_status", false},
                               {"n"},
                               {"quiet_n"},
                               {"min_us"},
                               {"p10_us"},
                               {"p90_us"},
                               {"p99_us"},
                               {"cpu_us"},
                               {"macs"},
                               {"parameters"},
                               {"energy_source", false},
                               {"energy_status", false},
                               {"energy_n"},
                               {"max_abs_d"},
                               {"d_inputs"},
                               {"reference", false},
                               {"status", false},
                               {"inputs", false},
                               {"engine", false},
                               {"engine_version", false},
                               {"threads"},
                               {"cpus", false},
                               {"delegate", false},
                               {"options", false},
                               {"model_sha256", false},
                               {"plan_sha256", false},
                               {"machine", false},
                               {"date", false},
                               {"edgeprobe", false},
                               {"settings", false}};

std::string micros(double seconds) { return number(seconds * 1e6, 8); }

std::string count_text(std::size_t count) { return std::to_string(count); }

std::string field_text(const std::string& field) {
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line_text(const auto& fields) {
  std::string line;
  for (const auto& field : fields) line += (line.empty() ? "" : ",") + field_text(field);
  return line + "\n";
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::size_t place_of(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kColumns), std::end(kColumns),
                                      [&](const Column& column) { return column.name == name; });
  return static_cast<std::size_t>(at - std::begin(kColumns));
}

/// True for our columns in our order. Those of the accuracy may be absent, as in older tables.
bool is_header(const std::vector<std::string>& given) {
  const std::vector<std::string> all = names();
  std::vector<std::string> older;
  std::copy_if(all.begin(), all.end(), std::back_inserter(older), [](const std::string& name) {
    return !name.starts_with("top") && !name.starts_with("accuracy");
  });
  return given == all || given == older;
}

}  // namespace

std::span<const Column> profile_columns() { return kColumns; }

Row::Row() : fields_(std::size(kColumns)) {}

std::string& Row::operator[](std::string_view column) { return fields_.at(place_of(column)); }

const std::string& Row::operator[](std::string_view column) const {
  return fields_.at(place_of(column));
}

void tell(Row& row, const Figures& figures) {
  row["latency"] = micros(figures.median);
  row["n"] = count_text(figures.runs);
  row["quiet_n"] = count_text(figures.quiet);
  row["min_us"] = micros(figures.min);
  row["p10_us"] = micros(figures.p10);
  row["p90_us"] = micros(figures.p90);
  row["p99_us"] = micros(figures.p99);
  if (figures.cpu) row["cpu_us"] = micros(*figures.cpu);
  row["status"] = figures.quiet >= kFewestQuiet ? "ok"
                                                : "noisy: only " + count_text(figures.quiet) +
                                                      " of " + count_text(figures.runs) +
                                                      " runs were quiet, so the figures are of all";
  const meter::NetEnergy& energy = figures.energy;
  if (energy.joules) row["energy"] = micros(*energy.joules);
  if (energy.joules) row["energy_n"] = count_text(energy.runs);
  row["energy_source"] = sanitized(energy.source, 400);
  row["energy_status"] = energy.joules ? "ok" : sanitized(energy.reason, 600);
  if (figures.difference) {
    // An infinite difference is written as pandas and NumPy read it.
    row["max_abs_d"] = number(figures.difference->absolute, 8);
    row["d_inputs"] = count_text(figures.difference->inputs);
  } else {
    row["reference"] = "none: " + sanitized(figures.no_difference, 600);
  }
}

void tell(Row& row, const Answers& answers) {
  const task::Figure best = top_1(answers);
  row["accuracy_n"] = count_text(best.n);
  row["accuracy_status"] = "ok";
  if (best.n == 0) {
    row["accuracy_status"] = "no frame could be used";
    return;
  }
  row["top1"] = number(*best.mean(), 8);
  row["top1_low"] = number(best.ci95.low, 8);
  row["top1_high"] = number(best.ci95.high, 8);
  if (const auto among = top_5(answers)) row["top5"] = number(*among->mean(), 8);
  if (const std::size_t lost = answers.unreadable.size() + answers.beyond; lost > 0)
    row["accuracy_status"] += ": " + count_text(lost) + " labelled samples left out";
}

std::string to_csv(const std::vector<Row>& rows) {
  std::string text = line_text(names());
  for (const Row& row : rows) {
    // A record never spans lines, whatever the model's name.
    std::vector<std::string> fields;
    for (const std::string& field : row.fields()) fields.push_back(sanitized(field, 4096));
    text += line_text(fields);
  }
  return text;
}

Result<std::vector<Row>> rows_from_csv(std::string_view text) {
  std::vector<Row> rows;
  std::vector<std::string> header;
  std::size_t line = 0;
  for (const std::string_view one : lines_of(text)) {
    ++line;
    if (one.empty() && line > 1) continue;  // Editors may leave empty lines at the end.
    auto fields = csv_fields(one);
    const std::string place = "line " + std::to_string(line) + ": ";
    if (!fields) return Error{ErrorKind::kUsage, place + fields.error().what};
    if (line == 1) {
      if (!is_header(*fields))
        return Error{ErrorKind::kUsage, "its columns are not those of 'stretch profile'"};
      header = *std::move(fields);
      continue;
    }
    if (fields->size() != header.size())
      return Error{ErrorKind::kUsage, place + std::to_string(fields->size()) + " fields, not " +
                                          std::to_string(header.size())};
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = std::move((*fields)[i]);
  }
  if (line == 0) return Error{ErrorKind::kUsage, "it is empty"};
  return rows;
}

std::string to_json(const std::vector<Row>& rows) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) {
    ordered_json one;
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      const std::string& field = row.fields()[i];
      ordered_json value = field;
      if (field.empty()) value = nullptr;
      else if (kColumns[i].is_number) value = ordered_json::parse(field, nullptr, false);
      if (value.is_discarded()) value = field;
      one[kColumns[i].name] = std::move(value);
    }
    list.push_back(std::move(one));
  }
  return ordered_json{{"schema_version", 1}, {"profiles", std::move(list)}}.dump(
             2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace edgeprobe::placement
