// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/trace_values.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/text.h"
#include "trace/names.h"

namespace edgeprobe::cli {

std::string values_text(const trace::Reader& reader,
                        const std::vector<std::optional<compare::ValueCounts>>& counts) {
  std::ostringstream out;
  const auto cell = [&](const std::string& text, int width) { out << std::setw(width) << text; };
  out << "\nvalues\n"
      << std::left << std::setw(14) << "stage" << std::right << std::setw(11) << "least"
      << std::setw(11) << "most" << std::setw(8) << "zero" << std::setw(9) << "NaN" << std::setw(9)
      << "inf" << std::setw(10) << "denormal" << std::setw(11) << "saturated" << std::setw(9)
      << ">65504"
      << "  name\n";
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const trace::Channel& channel = reader.channels()[c].channel;
    out << std::left << std::setw(14) << trace::name(channel.stage) << std::right;
    if (const auto& one = counts[c]; one && one->values > 0) {
      cell(one->least ? number(*one->least, 4) : "none", 11);
      cell(one->most ? number(*one->most, 4) : "none", 11);
      cell(percent(static_cast<double>(one->zeros) / static_cast<double>(one->values)), 8);
      cell(std::to_string(one->nan), 9);
      cell(std::to_string(one->infinite), 9);
      cell(std::to_string(one->denormal), 10);
      cell(std::to_string(one->saturated), 11);
      cell(std::to_string(one->beyond_float16), 9);
    } else {
      cell("no plain numbers", 78);
    }
    out << "  " << sanitized(channel.spec.name, 60)
        << (channel.layer_type.empty() ? "" : "  " + sanitized(channel.layer_type, 40)) << "\n";
  }
  return out.str();
}

nlohmann::ordered_json values_json(const std::optional<compare::ValueCounts>& counts) {
  if (!counts) return nullptr;
  const auto real = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  return {{"values", counts->values},
          {"least", real(counts->least)},
          {"most", real(counts->most)},
          {"nan", counts->nan},
          {"infinite", counts->infinite},
          {"zeros", counts->zeros},
          {"denormal", counts->denormal},
          {"saturated", counts->saturated},
          {"beyond_float16", counts->beyond_float16}};
}

}  // namespace edgeprobe::cli
