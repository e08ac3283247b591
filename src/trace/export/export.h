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

/// Selects part of a trace.
struct Selection {
  std::optional<std::uint32_t> frame;  ///< Unset: all frames.
  std::string tensor;                  ///< A name, "<stage>/<name>" or a whole topic; empty: all.
};
/// The selected channels. Fails with kNotFound, naming the most similar one, if none matches.
Result<std::vector<const ReadChannel*>> selected_channels(const Reader& reader,
                                                          const Selection& selection);
/// The selected frames. Fails with kNotFound if the requested one is missing.
Result<std::vector<std::uint32_t>> selected_frames(const Reader& reader,
                                                   const Selection& selection);

struct ExportOptions {
  Selection selection;
  bool replace = false;  ///< Overwrite existing files.
};

/// Error of an export that was stopped; such an export leaves no files.
inline Error stopped_error() { return {ErrorKind::kInterrupted, "stopped; nothing was written"}; }

struct ExportReport {
  std::size_t tensors = 0;  ///< Tensors written, counted once per frame.
  /// Rows of the CSV, events of the timeline, or messages for a viewer.
  std::uint64_t rows = 0;
  /// Reasons why something was not exported: at most 100 sentences.
  std::vector<std::string> notes;

  void note(std::string sentence) {
    if (notes.size() < 100) notes.push_back(std::move(sentence));
  }
};

/// Counts skipped messages of variable length by their kind.
class OpenMessages {
 public:
  void add(const Channel& channel) { ++counts_[channel.encoding]; }
  bool empty() const { return counts_.empty(); }
  /// Such as "3 encoded files and 1 text were".
  std::string text() const;

 private:
  std::map<std::string, std::size_t> counts_;
};

/// NumPy's archive. Members: "<stage>/<name>.npy" with the frames as first dimension, in ascending
/// order; "frames.npy" (uint32) with their numbers, and "<stage>/<name>.frames.npy" for a tensor
/// that some frames lack; "labels.npy" (int64, -1 unknown) if there are labels; "annotations.json"
/// (an object by frame) if there are other annotations; encoded files, texts, JSON and answers (as
/// JSON) as "<stage>/<name>/<frame>.bin", ".txt" and ".json". Values are as stored; bfloat16 as
/// uint16, int4 as packed uint8. Memory does not grow with the number of values.
Result<ExportReport> export_npz(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control = {});

/// A table with one value per row: frame, time_ns, sample, label, stage, tensor, index, stored,
/// value (the real number: dequantised), annotation (JSON, if the frame has one). UTF-8, comma, RFC
/// 4180 quotes; a text that a spreadsheet would run as a formula gets a leading apostrophe. Encoded
/// files, texts, JSON and answers are left out.
Result<ExportReport> export_csv(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control = {});

/// The same rows through a table writer: integers frame, label, index, stored (null for fractions,
/// whose stored value equals `value`); time; text sample, stage, tensor; real value. Texts are
/// unchanged except that invalid UTF-8 becomes U+FFFD.
Result<ExportReport> export_values(const Reader& reader, const std::filesystem::path& path,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control = {});

/// Three tables in a folder, which is created if missing. frames.parquet has one row per frame (all
/// frames): frame, time, sample, sha256, label, latency_ns, level, annotation (JSON, if the frame
/// has one); scalar and text variables by their names, vectors and model outputs of up to 1024
/// values as lists of real numbers, "span/<name>" in nanoseconds; at most 1000 columns.
/// events.parquet has one row per number, text or event (kind, name, time, frame, index, value,
/// unit, text) of variables, spans, sensors, marks and level changes. values.parquet is the table
/// of export_values().
Result<ExportReport> export_tables(const Reader& reader, const std::filesystem::path& folder,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control = {});

/// A timeline in the JSON trace-event format, for ui.perfetto.dev: each inference, each span,
/// variables of up to 64 numbers and sensors as counters, marks, texts and level changes as events.
/// Exports all frames; time 0 is that of the first. Memory does not grow with the number of values.
Result<ExportReport> export_perfetto(const Reader& reader, const std::filesystem::path& path,
                                     const ExportOptions& options, const Control& control = {});

/// A copy for viewers of MCAP files (Rerun, Foxglove): pictures as foxglove.CompressedImage and
/// RawImage (model inputs and stages of one or three channels, stretched to 8 bits), latencies,
/// labels, spans, variables, outputs and sensors of up to 64 values as curves
/// (sensor_msgs/msg/JointState), marks and texts as foxglove.Log, with the schemas in the file.
/// Exports all frames, but not layers.
Result<ExportReport> export_view(const Reader& reader, const std::filesystem::path& path,
                                 const ExportOptions& options, const Control& control = {});

/// One text cell of a CSV file.
std::string csv_text(std::string_view text);

}  // namespace edgeprobe::trace
