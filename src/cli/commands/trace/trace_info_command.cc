// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "cli/commands/trace/words.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/trace_latency.h"
#include "cli/tables/trace_values.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "pipeline/inputs/raw_channel.h"
#include "trace/names.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace info FILE`: shows the contents of a trace; for a folder, one line
/// per trace in it.
struct TraceInfoArgs {
  std::string file;
  JsonFlag json = {};
  /// Print the latencies, too, and the layer times if recorded.
  bool latency = false;
  /// Print the kinds of values in the tensors, too: NaN, infinite, denormal, saturated.
  bool values = false;
};

namespace {

using nlohmann::ordered_json;
using trace::FrameRecord;
using trace::ReadChannel;
using trace::Reader;

// Describes a camera frame as far as its channel does; nothing for other channels.
std::string frame_text(const trace::Channel& channel) {
  if (!pipeline::holds_frames(channel)) return "";
  const auto frame = pipeline::frame_of(channel);
  return frame ? preprocess::to_text(*frame)
               : channel.encoding + ", not described: " + frame.error().what;
}

std::string quantization_text(const Quantization& q) {
  if (q.empty()) return "";
  if (q.per_channel())
    return "quantised, " + std::to_string(q.scale.size()) + " scales along axis " +
           std::to_string(q.axis);
  return "scale " + number(q.scale[0], 6) + ", zero point " + std::to_string(q.zero_point_at(0));
}

std::string time_text(std::uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / 1'000'000'000u);
  std::tm utc{};
  char text[40];
  if (!gmtime_r(&seconds, &utc) ||
      std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
    return "?";
  return text;
}

struct Span {
  std::uint64_t first = 0, last = 0;
  std::size_t labels = 0, samples = 0;
};

Span span_of(const Reader& reader) {
  Span span;
  for (const FrameRecord& record : reader.records()) {
    span.labels += record.label || record.annotation;
    span.samples += !record.sample.empty();
    if (record.time_ns == 0) continue;
    span.first = span.first ? std::min(span.first, record.time_ns) : record.time_ns;
    span.last = std::max(span.last, record.time_ns);
  }
  return span;
}

// Number of frames that a truncated or unfinished recording left incomplete: they lack their
// record, which is written last. A trace may lack records altogether.
std::size_t unfinished_frames(const Reader& reader) {
  if (reader.is_finished()) return 0;
  const auto has_none = [](const FrameRecord& r) {
    return r.time_ns == 0 && r.sample.empty() && r.sha256.empty() && !r.label && !r.latency_ns &&
           !r.annotation;
  };
  const auto count = static_cast<std::size_t>(
      std::count_if(reader.records().begin(), reader.records().end(), has_none));
  return count == reader.records().size() ? 0 : count;
}

std::string unfinished_text(std::size_t frames) {
  return frames ? ", " + std::to_string(frames) + " unfinished" : "";
}

std::uint64_t tensor_bytes(const ReadChannel& channel) {
  return channel.channel.spec.byte_size().value_or(0) * channel.messages;
}

using Counts = std::optional<std::vector<std::optional<compare::ValueCounts>>>;

std::string info_json(const Reader& reader, std::uint64_t file_size, const TraceLatency* latency,
                      const Counts& counts) {
  const Span span = span_of(reader);
  ordered_json json;
  json["file"] = trace::as_utf8(reader.path().filename().string());
  json["file_bytes"] = file_size;
  json["finished"] = reader.is_finished();
  json["library"] = trace::as_utf8(reader.library());
  json["frames"] = reader.frames().size();
  json["unfinished_frames"] = unfinished_frames(reader);
  json["frames_with_label"] = span.labels;
  json["frames_with_sample"] = span.samples;
  json["first_time_ns"] = span.first;
  json["last_time_ns"] = span.last;
  json["metadata"] = ordered_json::object();
  for (const auto& [group, values] : reader.metadata())
    for (const auto& [key, value] : values)
      json["metadata"][trace::as_utf8(group)][trace::as_utf8(key)] = trace::as_utf8(value);
  json["tensors"] = ordered_json::array();
  for (std::size_t index = 0; index < reader.channels().size(); ++index) {
    const ReadChannel& c = reader.channels()[index];
    const TensorSpec& spec = c.channel.spec;
    ordered_json tensor;
    tensor["stage"] = trace::name(c.channel.stage);
    tensor["name"] = trace::as_utf8(spec.name);
    tensor["dtype"] = edgeprobe::name(spec.dtype);
    tensor["shape"] = spec.shape;
    if (!spec.quantization.empty()) {
      tensor["scale"] = spec.quantization.scale;
      tensor["zero_point"] = spec.quantization.zero_point;
      if (spec.quantization.per_channel()) tensor["axis"] = spec.quantization.axis;
    }
    if (c.channel.position >= 0) tensor["position"] = c.channel.position;
    if (c.channel.tensor >= 0) tensor["tensor"] = c.channel.tensor;
    if (!c.channel.layer_type.empty()) tensor["layer_type"] = trace::as_utf8(c.channel.layer_type);
    if (!c.channel.encoding.empty()) tensor["encoding"] = trace::as_utf8(c.channel.encoding);
    if (pipeline::holds_frames(c.channel))
      for (const auto& [key, value] : c.channel.extra)
        tensor["frame"][trace::as_utf8(key)] = trace::as_utf8(value);
    tensor["messages"] = c.messages;
    if (counts) tensor["values"] = values_json((*counts)[index]);
    json["tensors"].push_back(std::move(tensor));
  }
  json["series"] = ordered_json::array();
  for (const trace::ReadEventStream& s : reader.stream())
    json["series"].push_back({{"kind", trace::name(s.stream.kind)},
                              {"name", trace::as_utf8(s.stream.name)},
                              {"messages", s.messages}});
  if (latency) json["latency"] = ordered_json::parse(latency_json(*latency));
  json["problems"] = ordered_json::array();
  for (const std::string& problem : reader.problems())
    json["problems"].push_back(trace::as_utf8(problem));
  return json.dump(2) + "\n";
}

void write_info(std::ostream& out, const Reader& reader, std::uint64_t file_size) {
  const Span span = span_of(reader);
  std::uint64_t messages = 0;
  for (const ReadChannel& channel : reader.channels()) messages += channel.messages;
  out << sanitized(reader.path().string()) << "\n"
      << "  size      " << bytes_text(static_cast<double>(file_size))
      << (reader.is_finished() ? "" : ", not finished") << "\n"
      << "  written   by " << (reader.library().empty() ? "?" : sanitized(reader.library(), 60))
      << "\n"
      << "  frames    " << reader.frames().size() << unfinished_text(unfinished_frames(reader));
  if (span.samples) out << ", " << span.samples << " with a sample name";
  if (span.labels) out << ", " << span.labels << " with a label";
  out << "\n  tensors   " << messages << " on " << reader.channels().size() << " channels\n";
  if (span.first)
    out << "  from      " << time_text(span.first) << ", "
        << number(static_cast<double>(span.last - span.first) * 1e-9) << " s\n";
  for (const auto& [group, values] : reader.metadata()) {
    if (values.empty()) continue;
    out << "\n" << sanitized(group, 60) << "\n";
    for (const auto& [key, value] : values)
      out << "  " << sanitized(key, 40) << " = " << sanitized(value, 200) << "\n";
  }
  if (!reader.stream().empty()) out << "\nbeside the frames\n";
  for (const trace::ReadEventStream& s : reader.stream())
    out << "  " << std::left << std::setw(12) << trace::name(s.stream.kind) << std::right
        << std::setw(8) << s.messages << " events  " << sanitized(s.stream.name, 80) << "\n";
  if (reader.channels().empty()) return;
  out << "\n"
      << std::left << std::setw(14) << "stage" << std::setw(10) << "dtype" << std::setw(18)
      << "shape" << std::right << std::setw(8) << "frames" << std::setw(10) << "bytes"
      << "  name\n";
  for (const ReadChannel& c : reader.channels()) {
    out << std::left << std::setw(14) << trace::name(c.channel.stage) << std::setw(10)
        << edgeprobe::name(c.channel.spec.dtype) << std::setw(18) << shape_text(c) << std::right
        << std::setw(8) << c.messages << std::setw(10)
        << (c.channel.is_open() ? "-" : bytes_text(static_cast<double>(tensor_bytes(c)))) << "  "
        << sanitized(c.channel.spec.name, 80);
    if (!c.channel.layer_type.empty()) out << "  " << sanitized(c.channel.layer_type, 40);
    if (const std::string q = quantization_text(c.channel.spec.quantization); !q.empty())
      out << "  (" << q << ")";
    if (const std::string frame = frame_text(c.channel); !frame.empty())
      out << "  (" << frame << ")";
    else if (c.channel.encoding == "pixels") out << "  (pixels)";
    out << "\n";
  }
}

// Prints a line for each trace directly in the folder, e.g. the parts of one recording.
Result<Outcome> list_folder(const TraceInfoArgs& args, Terminal& terminal) {
  if (args.json.wanted)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.file) + "' is a folder; --json takes one trace"};
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(args.file, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().extension() == ".mcap") files.push_back(at->path());
  if (failure)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.file) + "': cannot list: " + failure.message()};
  if (files.empty())
    return Error{ErrorKind::kNotFound, "'" + sanitized(args.file) + "' contains no .mcap files"};
  std::sort(files.begin(), files.end());
  terminal.out << std::right << std::setw(8) << "frames" << std::setw(10) << "tensors"
               << std::setw(11) << "size"
               << "  name\n";
  std::size_t unreadable = 0;
  for (const auto& path : files) {
    if (terminal.stopped()) return Error{ErrorKind::kInterrupted, "stopped"};
    const auto reader = Reader::open(path);
    if (!reader) {
      terminal.err << "warning: " << reader.error().what << "\n";
      ++unreadable;
      continue;
    }
    std::uint64_t messages = 0;
    for (const ReadChannel& channel : reader->channels()) messages += channel.messages;
    const std::uint64_t size = std::filesystem::file_size(path, failure);
    terminal.out << std::setw(8) << reader->frames().size() << std::setw(10) << messages
                 << std::setw(11) << bytes_text(failure ? 0 : static_cast<double>(size)) << "  "
                 << sanitized(path.filename().string(), 200)
                 << (reader->is_finished()
                         ? ""
                         : " (not finished" + unfinished_text(unfinished_frames(*reader)) + ")")
                 << (reader->is_finished() && !reader->problems().empty() ? " (damaged)" : "")
                 << "\n";
  }
  if (unreadable == files.size())
    return Error{ErrorKind::kCorrupt,
                 "'" + sanitized(args.file) + "': none of its .mcap files can be read"};
  return Outcome::kDone;
}

}  // namespace

Result<Outcome> run(const TraceInfoArgs& args, Terminal& terminal) {
  std::error_code no_folder;
  if (std::filesystem::is_directory(args.file, no_folder)) return list_folder(args, terminal);
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.file}));
  EP_TRY(const auto reader, Reader::open(args.file));
  std::error_code unknown;
  const std::uint64_t size = std::filesystem::file_size(reader.path(), unknown);
  std::optional<TraceLatency> latency;
  if (args.latency) {
    EP_TRY(latency, latency_of(reader));
  }
  Counts counts;
  if (args.values) {
    Progress progress(terminal, "values");
    EP_TRY(counts, compare::value_counts(reader, {terminal.stop, progress.callback()}));
  }
  if (args.json.wanted) {
    const std::string text =
        info_json(reader, unknown ? 0 : size, latency ? &*latency : nullptr, counts);
    if (args.json.file.empty()) {
      terminal.out << text;
      return Outcome::kDone;
    }
    EP_CHECK(write_file(args.json.file, view_of(text)));
  }
  write_info(terminal.out, reader, unknown ? 0 : size);
  if (latency) terminal.out << latency_text(*latency);
  if (counts) terminal.out << values_text(reader, *counts);
  warn(reader, terminal);
  return Outcome::kDone;
}

Work declare_trace_info(Parser& parser) {
  auto args = std::make_shared<TraceInfoArgs>();
  parser.option("file", args->file, "A trace, or a folder of traces (one line each)").required();
  parser.flag(
      "--latency", args->latency,
      "Also show latencies, and times by layer and layer type (recorded by run --layer-times)");
  parser.flag("--values", args->values,
              "Also show for each tensor the minimum and maximum, and how many values are NaN, "
              "infinite, denormal, saturated or too large for float16");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
