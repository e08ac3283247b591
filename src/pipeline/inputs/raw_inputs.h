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

/// A trace's frames as samples, for replay.
struct TraceSamples {
  std::vector<dataset::Sample> samples;
  std::vector<std::uint32_t> frames;     ///< Frame number of each sample.
  std::vector<std::string> without_raw;  ///< Names of samples whose raw input was not found.
  std::size_t unnamed = 0;               ///< Number of these frames without a name.
  /// Number of these for which a picture of that name was given, but with different content.
  std::size_t altered = 0;
  /// The first name among these, preferably of an altered one.
  std::string first_name;
  std::size_t pictures = 0;   ///< Number of pictures given in addition to the trace.
  std::string first_picture;  ///< The name of one of these pictures.
  /// The byte order that the pictures in the trace were logged with ("rgb8", "bgr8", …). Empty if
  /// the trace contains files or no pictures, or if the files of the same names confirm the order.
  std::string logged_as;
  /// A sentence, set if the pictures are the files of the same names with red and blue swapped:
  /// "the recorded pictures are the files with red and blue exchanged: log them as bgr8". `samples`
  /// then return them corrected.
  std::string exchanged;
};

/// Takes raw inputs from the trace itself, or else from `data` by content hash, or else by sample
/// name. A name match whose hash is known and differs is refused and listed: another picture of
/// that name proves nothing. Samples share the reader, which must outlive them.
Result<TraceSamples> raw_inputs(const trace::Reader& reader,
                                const std::vector<dataset::Sample>& data);

/// Opens the frames of a trace as a data set: each frame's model inputs by name, with its picture
/// if the trace holds one. Frames without a model input are pictures. Samples keep the trace open.
/// kUsage for a trace with neither.
Result<std::vector<dataset::Sample>> open_trace(const std::filesystem::path& file,
                                                const dataset::Labels& labels);

}  // namespace edgeprobe::pipeline
