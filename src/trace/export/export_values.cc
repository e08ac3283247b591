// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trace/export/element.h"
#include "trace/export/export_tables.h"

namespace edgeprobe::trace {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kBlock = 65'536;  // rows written at a time
enum Column { kFrame, kTime, kSample, kLabel, kStage, kTensor, kIndex, kStored, kValue };

const std::vector<TableColumn> kColumns{
    {"frame", Kind::kInteger, true}, {"time", Kind::kTime, true}, {"sample", Kind::kText},
    {"label", Kind::kInteger, true}, {"stage", Kind::kText},      {"tensor", Kind::kText},
    {"index", Kind::kInteger},       {"stored", Kind::kInteger},  {"value", Kind::kReal}};

Status put_tensor(Table& table, const FrameRecord& record, const Channel& channel,
                  const TensorView& tensor, const std::vector<float>& real,
                  const Control& control) {
  const std::size_t count = element_count(channel.spec.shape).value_or(0);
  const bool is_whole = !is_float(channel.spec.dtype);
  for (std::size_t start = 0; start < count; start += kBlock) {
    if (control.stopped()) return stopped_error();
    const std::size_t rows = std::min(kBlock, count - start);
    table.integer(kFrame, record.frame, rows);
    put_time(table, kTime, record.time_ns, rows);
    put_text(table, kSample, record.sample, rows);
    if (record.label) table.integer(kLabel, *record.label, rows);
    else table.none(kLabel, rows);
    table.text(kStage, name(channel.stage), rows);
    table.text(kTensor, channel.spec.name, rows);
    for (std::size_t i = start; i < start + rows; ++i) {
      table.integer(kIndex, static_cast<std::int64_t>(i));
      const auto stored = is_whole ? stored_integer(tensor, i) : std::nullopt;
      if (stored) table.integer(kStored, *stored);
      else table.none(kStored);
      table.real(kValue, real.empty() ? stored_real(tensor, i) : static_cast<double>(real[i]));
    }
    EP_CHECK(table.end_rows());
  }
  return {};
}

}  // namespace

Status put_values(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const Control& control) {
  EP_TRY(auto table, Table::begin(writer, path, kColumns, options.replace));
  OpenMessages left_out;
  const auto put = [&](const FrameRecord& record, const Channel& channel, const TensorView& tensor,
                       const std::vector<float>& real) {
    return put_tensor(table, record, channel, tensor, real, control);
  };
  EP_CHECK(visit_tensors(reader, options, report, left_out, put, control));
  if (!left_out.empty()) report.note(left_out.text() + " left out of the values");
  report.rows += table.rows();
  return table.finish();
}

}  // namespace edgeprobe::trace
