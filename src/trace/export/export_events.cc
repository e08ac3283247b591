// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "trace/export/element.h"
#include "trace/export/export_tables.h"
#include "trace/read/answer_text.h"
#include "trace/read/events.h"

namespace edgeprobe::trace {
namespace {

using Kind = TableColumn::Kind;

enum Column { kKind, kName, kTime, kFrame, kIndex, kValue, kUnit, kText };

const std::vector<TableColumn> kColumns{
    {"kind", Kind::kText},           {"name", Kind::kText},
    {"time", Kind::kTime, true},     {"frame", Kind::kInteger, true},
    {"index", Kind::kInteger, true}, {"value", Kind::kReal},
    {"unit", Kind::kText},           {"text", Kind::kText}};

/// What a row describes.
struct Subject {
  const char* kind;
  std::string_view name;
  std::uint64_t time_ns = 0;
  std::optional<std::uint32_t> frame;
};

class Events {
 public:
  explicit Events(Table& table) : table_(table) {}

  Status number(const Subject& about, std::optional<std::size_t> index, double value,
                std::string_view unit) {
    start(about);
    if (index) table_.integer(kIndex, static_cast<std::int64_t>(*index));
    else table_.none(kIndex);
    table_.real(kValue, value);
    put_text(table_, kUnit, unit);
    table_.none(kText);
    return table_.end_rows();
  }
  /// Writes one row per number; a scalar has no index.
  Status numbers(const Subject& about, const std::vector<double>& values, bool is_scalar,
                 std::string_view unit) {
    for (std::size_t i = 0; i < values.size(); ++i)
      EP_CHECK(number(about, is_scalar ? std::nullopt : std::optional(i), values[i], unit));
    return {};
  }
  Status text(const Subject& about, std::string_view text, std::string_view unit = "") {
    start(about);
    table_.none(kIndex);
    table_.none(kValue);
    put_text(table_, kUnit, unit);
    table_.text(kText, text);
    return table_.end_rows();
  }

 private:
  void start(const Subject& about) {
    table_.text(kKind, about.kind);
    table_.text(kName, about.name);
    put_time(table_, kTime, about.time_ns);
    if (about.frame) table_.integer(kFrame, *about.frame);
    else table_.none(kFrame);
  }
  Table& table_;
};

Status put_tensor(Events& events, const Channel& channel, std::uint32_t frame,
                  std::uint64_t time_ns, ByteView bytes) {
  const std::string& name = channel.spec.name;
  if (channel.stage == Stage::kSpan && channel.spec.dtype == DType::kInt64 && bytes.size == 16) {
    std::int64_t span[2];
    std::memcpy(span, bytes.data, sizeof span);
    return events.number({"span", name, static_cast<std::uint64_t>(span[0]), frame}, std::nullopt,
                         static_cast<double>(span[1]), "ns");
  }
  if (channel.is_answer()) return events.text({"answer", name, time_ns, frame}, answer_json(bytes));
  if (channel.stage != Stage::kVariable) return {};
  const Subject about{"variable", name, time_ns, frame};
  if (channel.is_open()) return events.text(about, bytes.text());
  const auto values = list_of(TensorView(channel.spec, bytes));
  return values ? events.numbers(about, *values, channel.spec.shape.empty(), "") : Status();
}

Status put_event(Events& events, const EventStream& stream, const Event& event) {
  const Subject about{name(stream.kind), stream.name, event.time_ns, event.frame};
  switch (stream.kind) {
    case EventStreamKind::kSensor:
      if (!event.values) return events.text(about, event.reason, event.unit);
      return events.numbers(about, *event.values, event.values->size() == 1, event.unit);
    case EventStreamKind::kMark: return events.text(about, event.text);
    case EventStreamKind::kLevel:
      return events.text(about, event.from + " to " + event.to + ": " + event.reason);
  }
  return {};
}

}  // namespace

std::optional<std::vector<double>> list_of(const TensorView& tensor) {
  const auto count = element_count(tensor.spec->shape);
  if (!count || *count > kMostInList || tensor.spec->dtype == DType::kOther) return std::nullopt;
  if (!tensor.spec->quantization.empty()) {
    const auto real = to_float(tensor);
    return real ? std::optional(std::vector<double>(real->begin(), real->end())) : std::nullopt;
  }
  std::vector<double> values(*count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = stored_real(tensor, i);
  return values;
}

Status put_events(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  std::vector<TableStep>& steps, const Control& control) {
  EP_TRY(auto table, Table::begin(writer, path, kColumns, options.replace));
  Events events(table);
  auto done = reader.visit([&](const ReadChannel& channel, std::uint32_t frame,
                               std::uint64_t time_ns, ByteView bytes) -> Status {
    if (control.stopped()) return stopped_error();
    return put_tensor(events, channel.channel, frame, time_ns, bytes);
  });
  std::vector<std::string> problems;
  if (done)
    done = visit_events(reader.path(), problems,
                        [&](const EventStream& stream, const Event& event) -> Status {
                          if (control.stopped()) return stopped_error();
                          if (stream.kind == EventStreamKind::kLevel)
                            steps.push_back({event.frame, event.to});
                          return put_event(events, stream, event);
                        });
  for (std::string& problem : problems) report.note(std::move(problem));
  report.rows += table.rows();
  return done ? table.finish() : done;
}

}  // namespace edgeprobe::trace
