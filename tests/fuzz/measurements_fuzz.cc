// SPDX-License-Identifier: Apache-2.0
// Any text as measurements. What is read is written as a text that reads back the same, and every
// form of its report is made.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "measurements/json.h"
#include "report/measured/measurements.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace edgeprobe;
  const auto read = measurements::from_json({reinterpret_cast<const char*>(data), size});
  if (!read) {
    if (read.error().what.empty()) std::abort();
    return 0;
  }
  const std::string written = measurements::to_json(*read, "1");
  const auto again = measurements::from_json(written);
  if (!again || measurements::to_json(*again, "1") != written) std::abort();
  const std::vector<report::NamedMeasurements> all{{"a", *read}, {"b", *again}};
  const report::Document document = report::measurements_report(all);
  const auto path = [](const report::Figure& figure) { return figure.name + ".svg"; };
  if (render_html(document).empty() || render_markdown(document, path).empty() ||
      render_rst(document, path).empty() || render_text(document).empty() ||
      measurements_json(all, "1").empty())
    std::abort();
  return 0;
}
