// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "dataset/labels.h"
#include "dataset/sample.h"
#include "trace/read/reader.h"

namespace edgeprobe::pipeline {

/// The frames of a trace as samples again, for replay.
struct TraceSamples {
  std::vector<dataset::Sample> samples;
  std::vector<std::uint32_t> frames;     ///< Frame number of each sample.
  std::vector<std::string> without_raw;  ///< Frames whose raw input is nowhere, by sample name.
  std::size_t unnamed = 0;               ///< Of these: frames without a name.
  /// Of these: a picture of that name was given, and has another content.
  std::size_t altered = 0;
  /// Of these: the first name that there is, of an altered one where there is one.
  std::string first_name;
  std::size_t pictures = 0;   ///< That were given beside the trace.
  std::string first_picture;  ///< The name of one of them.
  /// The order of bytes that the pictures in the trace were logged with ("rgb8", "bgr8", …); empty
  /// when they hold files or none at all, or when the files of their names bear them out.
  std::string logged_as;
  /// Set when they are the files of their names with red and blue exchanged: `samples` give them
  /// put right.
  /// "the recorded pictures are the files with red and blue exchanged: log them as bgr8"
  std::string exchanged;
};

/// Raw inputs come from the trace itself, else from `data` by content hash, else by sample name. A
/// name match whose hash is known and differs is refused and listed: another picture of that name
/// proves nothing. Samples share the reader, which must outlive them.
Result<TraceSamples> raw_inputs(const trace::Reader& reader,
                                const std::vector<dataset::Sample>& data);

/// The frames of a trace as data of their own: the model inputs of each by name, with its picture
/// where the trace holds one. Frames without a model input are pictures. Samples keep the trace
/// open. kUsage for a trace with neither.
Result<std::vector<dataset::Sample>> open_trace(const std::filesystem::path& file,
                                                const dataset::Labels& labels);

}  // namespace edgeprobe::pipeline
