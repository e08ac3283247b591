#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "dataset/sample.h"
#include "trace/reader.h"

namespace edgeprobe::pipeline {

/// The frames of a trace as samples again, for replay.
struct TraceSamples {
  std::vector<dataset::Sample> samples;
  std::vector<std::uint32_t> frames;      ///< Frame number of each sample.
  std::vector<std::string> without_raw;   ///< Frames whose raw input is nowhere, by sample name.
};

/// Raw inputs come from the trace itself, else from `data` by content hash, else by sample name. A name match
/// whose hash is known and differs is refused and listed: another picture of that name proves nothing.
/// Samples share the reader, which must outlive them.
Result<TraceSamples> raw_inputs(const trace::Reader& reader, const std::vector<dataset::Sample>& data);

}  // namespace edgeprobe::pipeline
