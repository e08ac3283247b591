// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/text.h"
#include "trace/export/element.h"
#include "trace/export/export_tables.h"
#include "trace/frame_json.h"
#include "trace/read/answer_text.h"

namespace edgeprobe::trace {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kMostColumns = 1000;
enum Column { kFrame, kTime, kSample, kSha256, kLabel, kLatency, kLevel, kAnnotation };

/// The column kind of a channel; nothing if the channel has no column.
std::optional<Kind> kind_of(const Channel& channel) {
  const TensorSpec& spec = channel.spec;
  if (channel.stage == Stage::kSpan) return Kind::kInteger;
  if (channel.is_answer()) return Kind::kText;
  if (channel.stage != Stage::kVariable && channel.stage != Stage::kModelOutput)
    return std::nullopt;
  if (channel.is_open())
    return channel.encoding == "encoded" ? std::nullopt : std::optional(Kind::kText);
  const auto count = element_count(spec.shape);
  if (!count || *count > kMostInList || spec.dtype == DType::kOther) return std::nullopt;
  if (!spec.shape.empty() || channel.stage == Stage::kModelOutput) return Kind::kReals;
  if (!spec.quantization.empty() || is_float(spec.dtype)) return Kind::kReal;
  return spec.dtype == DType::kUInt64 ? Kind::kUnsigned : Kind::kInteger;
}

/// The table's columns, and which of them each channel fills. Channels of one name and kind share a
/// column.
class Layout {
 public:
  explicit Layout(const Reader& reader) {
    has_annotations =
        std::any_of(reader.records().begin(), reader.records().end(),
                    [](const FrameRecord& record) { return record.annotation.has_value(); });
    if (has_annotations) columns.push_back({"annotation", Kind::kText});
    for (const TableColumn& column : columns) names_.insert(column.name);
    for (const ReadChannel& channel : reader.channels()) add(channel);
  }
  std::vector<TableColumn> columns{{"frame", Kind::kInteger},       {"time", Kind::kTime},
                                   {"sample", Kind::kText},         {"sha256", Kind::kText},
                                   {"label", Kind::kInteger, true}, {"latency_ns", Kind::kInteger},
                                   {"level", Kind::kText}};
  /// The channels that fill each column; indexed by column after the fixed ones.
  std::vector<std::vector<const ReadChannel*>> fillers;
  std::size_t left_out = 0;
  bool has_annotations = false;  ///< Adds a fixed column with JSON.

 private:
  void add(const ReadChannel& read) {
    const Channel& channel = read.channel;
    const auto kind = kind_of(channel);
    if (!kind) return;
    const auto [known, is_new] =
        known_.try_emplace({channel.stage, channel.spec.name, *kind}, fillers.size());
    if (!is_new) return fillers[known->second].push_back(&read);
    if (columns.size() == kMostColumns) {
      known_.erase(known);
      ++left_out;
      return;
    }
    columns.push_back({unique(channel), *kind, *kind == Kind::kText});
    fillers.push_back({&read});
  }
  // A variable or answer keeps its plain name unless another column has it.
  std::string unique(const Channel& channel) {
    const std::string own = sanitized(channel.spec.name, 400),
                      full = std::string(name(channel.stage)) + "/" + own;
    const bool is_short = channel.stage == Stage::kVariable || channel.is_answer();
    std::string chosen = is_short && !own.empty() && !names_.count(own) ? own : full;
    for (int number = 2; !names_.insert(chosen).second; ++number)
      chosen = full + "#" + std::to_string(number);
    return chosen;
  }
  std::map<std::tuple<Stage, std::string, Kind>, std::size_t> known_;
  std::set<std::string> names_;
};

void put_cell(Table& table, std::size_t column, const TableColumn& about, const Channel& channel,
              const TensorView& tensor) {
  switch (about.kind) {
    case Kind::kText:
      return table.text(column, channel.is_answer() ? answer_json(tensor.bytes)
                                                    : std::string(tensor.bytes.text()));
    case Kind::kReal: {
      const auto values = list_of(tensor);
      return values && !values->empty() ? table.real(column, values->front()) : table.none(column);
    }
    case Kind::kReals: {
      const auto values = list_of(tensor);
      return values ? table.reals(column, *values) : table.none(column);
    }
    default: break;
  }
  std::int64_t value = 0;
  if (channel.stage == Stage::kSpan) {
    if (tensor.bytes.size != 16) return table.none(column);
    std::memcpy(&value, tensor.bytes.data + 8, sizeof value);
  } else if (about.kind == Kind::kUnsigned) {
    std::memcpy(&value, tensor.bytes.data, sizeof value);
  } else {
    value = stored_integer(tensor, 0).value_or(0);
  }
  table.integer(column, value);
}

// The recording level of a frame: that of the last level change before it.
class Levels {
 public:
  Levels(const Reader& reader, const std::vector<TableStep>& steps) : steps_(steps) {
    if (const auto level = reader.declared("level")) level_ = *level;
  }
  /// Call with ascending frames.
  const std::string& at(std::uint32_t frame) {
    for (; next_ < steps_.size() && (!steps_[next_].frame || *steps_[next_].frame < frame); ++next_)
      level_ = steps_[next_].to;
    return level_;
  }

 private:
  const std::vector<TableStep>& steps_;
  std::size_t next_ = 0;
  std::string level_;
};

}  // namespace

Status put_frames(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const std::vector<TableStep>& steps, const Control& control) {
  const Layout layout(reader);
  EP_TRY(auto table, Table::begin(writer, path, layout.columns, options.replace));
  Levels levels(reader, steps);
  const std::size_t fixed = layout.columns.size() - layout.fillers.size();
  for (const FrameRecord& record : reader.records()) {
    if (control.stopped()) return stopped_error();
    table.integer(kFrame, record.frame);
    put_time(table, kTime, record.time_ns);
    put_text(table, kSample, record.sample);
    put_text(table, kSha256, record.sha256);
    if (record.label) table.integer(kLabel, *record.label);
    else table.none(kLabel);
    if (record.latency_ns) table.integer(kLatency, *record.latency_ns);
    else table.none(kLatency);
    put_text(table, kLevel, levels.at(record.frame));
    if (layout.has_annotations)
      put_text(table, kAnnotation,
               record.annotation ? annotation_json(*record.annotation) : std::string());
    for (std::size_t i = 0; i < layout.fillers.size(); ++i) {
      bool is_filled = false;
      for (const ReadChannel* channel : layout.fillers[i]) {
        const auto tensor = reader.read(record.frame, channel->id);
        if (!tensor) report.note(tensor.error().what);
        if (!tensor || !*tensor) continue;
        put_cell(table, fixed + i, layout.columns[fixed + i], channel->channel, **tensor);
        is_filled = true;
        break;
      }
      if (!is_filled) table.none(fixed + i);
    }
    EP_CHECK(table.end_rows());
  }
  if (layout.left_out)
    report.note(
        std::to_string(layout.left_out) +
        " variables, outputs or spans have no column of their own: the table of frames has " +
        std::to_string(kMostColumns));
  report.rows += table.rows();
  return table.finish();
}

}  // namespace edgeprobe::trace
