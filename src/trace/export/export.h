// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "trace/export/table.h"
#include "trace/read/reader.h"

namespace edgeprobe::trace {

/// Which part of a trace is meant.
struct Selection {
  std::optional<std::uint32_t> frame;  ///< Else all.
  std::string tensor;                  ///< A name, "<stage>/<name>" or a whole topic; empty: all.
};
/// The channels that are meant. Fails with kNotFound, naming the nearest, when there is none.
Result<std::vector<const ReadChannel*>> selected_channels(const Reader& reader,
                                                          const Selection& selection);
/// The frames that are meant. Fails with kNotFound when the wanted one is not there.
Result<std::vector<std::uint32_t>> selected_frames(const Reader& reader,
                                                   const Selection& selection);

struct ExportOptions {
  Selection selection;
  bool replace = false;  ///< Overwrite what is there.
};

/// How a stopped export ends: it leaves nothing.
inline Error stopped_error() { return {ErrorKind::kInterrupted, "stopped; nothing was written"}; }

struct ExportReport {
  std::size_t tensors = 0;  ///< Written, one for each frame.
  /// Of the CSV, or events of the time line, or messages for a viewer.
  std::uint64_t rows = 0;
  std::vector<std::string> notes;  ///< What could not be exported: at most 100 sentences.

  void note(std::string sentence) {
    if (notes.size() < 100) notes.push_back(std::move(sentence));
  }
};

/// How many messages of any length were met, by what they are.
class OpenMessages {
 public:
  void add(const Channel& channel) { ++counts_[channel.encoding]; }
  bool empty() const { return counts_.empty(); }
  /// "3 encoded files and 1 text were".
  std::string text() const;

 private:
  std::map<std::string, std::size_t> counts_;
};

/// NumPy's archive. Members: "<stage>/<name>.npy" with the frames as first dimension, in ascending
/// order; "frames.npy" (uint32) with their numbers, and "<stage>/<name>.frames.npy" for a tensor
/// that some of them lack; "labels.npy" (int64, -1 unknown) when there are labels;
/// "annotations.json" (an object by frame) when there are others; encoded files, texts, JSON
/// and answers (as JSON) as "<stage>/<name>/<frame>.bin", ".txt" and ".json". Stored values;
/// bfloat16 as uint16, int4 as packed uint8. Memory does not grow with the values.
Result<ExportReport> export_npz(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control = {});

/// A table with one value a row: frame, time_ns, sample, label, stage, tensor, index, stored, value
/// (the real number: dequantised), annotation (JSON, where a frame has one). UTF-8, comma, RFC 4180
/// quotes; texts that a spreadsheet would take for a formula get a leading apostrophe. Encoded
/// files, texts, JSON and answers are left out.
Result<ExportReport> export_csv(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control = {});

/// The same rows by a writer of tables: integers frame, label, index, stored (null for fractions,
/// whose value is what is stored); time; text sample, stage, tensor; real value. Texts as they are,
/// broken UTF-8 as U+FFFD.
Result<ExportReport> export_values(const Reader& reader, const std::filesystem::path& path,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control = {});

/// Three such tables in a folder, which is made when it is not there. frames.parquet has one row a
/// frame (all frames): frame, time, sample, sha256, label, latency_ns, level, annotation (JSON,
/// where a frame has one); scalar and text variables by their names, vectors and model outputs of
/// up to 1024 values as lists of real numbers, "span/<name>" in nanoseconds; at most 1000 columns.
/// events.parquet has one row a number, text or event (kind, name, time, frame, index, value,
/// unit, text) of variables, spans, sensors, marks and steps of the level. values.parquet is what
/// export_values() writes.
Result<ExportReport> export_tables(const Reader& reader, const std::filesystem::path& folder,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control = {});

/// A time line in the JSON trace-event format, for ui.perfetto.dev: each inference, each span,
/// variables of up to 64 numbers and sensors as counters, marks, texts and steps of the level as
/// events. Takes all frames; time 0 is that of the first. Memory does not grow with the values.
Result<ExportReport> export_perfetto(const Reader& reader, const std::filesystem::path& path,
                                     const ExportOptions& options, const Control& control = {});

/// A copy for viewers of MCAP files (Rerun, Foxglove): pictures as foxglove.CompressedImage and
/// RawImage (of tensors: model inputs and stages of one or three channels, stretched to 8 bits),
/// latencies, labels, spans, variables, outputs and sensors of up to 64 values as curves
/// (sensor_msgs/msg/JointState), marks and texts as foxglove.Log, with the schemas in the file.
/// Layers are left out. Takes all frames.
Result<ExportReport> export_view(const Reader& reader, const std::filesystem::path& path,
                                 const ExportOptions& options, const Control& control = {});

/// One cell of text for a CSV file.
std::string csv_text(std::string_view text);

}  // namespace edgeprobe::trace
