// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "trace/export/element.h"
#include "trace/export/export_visit.h"
#include "trace/frame_json.h"
#include "trace/record/output_file.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

}  // namespace

std::string csv_text(std::string_view text) {
  std::string safe = sanitized(text, 4096);
  // Spreadsheets run cells that start with these characters as formulas, even after blanks.
  const std::size_t first = safe.find_first_not_of(' ');
  if (first != std::string::npos &&
      std::string_view("=+-@").find(safe[first]) != std::string_view::npos)
    safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Result<ExportReport> export_csv(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control) {
  EP_TRY(auto file, OutputFile::create_hidden(path, options.replace));

  ExportReport report;
  const bool is_annotated =
      std::any_of(reader.records().begin(), reader.records().end(),
                  [](const FrameRecord& record) { return record.annotation.has_value(); });
  std::string buffer = "frame,time_ns,sample,label,stage,tensor,index,stored,value";
  buffer += is_annotated ? ",annotation\n" : "\n";
  OpenMessages left_out;
  const auto put = [&](const FrameRecord& record, const Channel& channel, const TensorView& tensor,
                       const std::vector<float>& real) -> Status {
    const std::string prefix = std::to_string(record.frame) + "," +
                               (record.time_ns ? std::to_string(record.time_ns) : "") + "," +
                               csv_text(record.sample) + "," +
                               (record.label ? std::to_string(*record.label) : "") + "," +
                               name(channel.stage) + "," + csv_text(channel.spec.name) + ",";
    const std::string suffix =
        (!is_annotated       ? ""
         : record.annotation ? "," + csv_text(annotation_json(*record.annotation))
                             : ",") +
        std::string("\n");
    const std::size_t count = element_count(channel.spec.shape).value_or(0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string stored = stored_text(tensor, i);
      buffer += prefix + std::to_string(i) + "," + stored + "," +
                (real.empty() ? stored : text_of(real[i])) + suffix;
      if (buffer.size() < kBuffer) continue;
      EP_CHECK(file.append({view_of(buffer)}));
      buffer.clear();
    }
    report.rows += count;
    return {};
  };
  EP_CHECK(visit_tensors(reader, options, report, left_out, put, control));
  if (!left_out.empty()) report.note(left_out.text() + " left out (--npz keeps them)");
  auto done = file.append({view_of(buffer)});
  if (done) done = file.close();
  if (done) done = file.place();
  if (!done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
