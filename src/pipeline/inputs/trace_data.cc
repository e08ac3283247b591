// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/raw_inputs.h"

#include <map>
#include <memory>

#include "core/text.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {

using dataset::Sample;

Result<std::vector<Sample>> open_trace(const std::filesystem::path& file,
                                       const dataset::Labels& labels) {
  EP_TRY(auto opened, trace::Reader::open(file));
  const auto reader = std::make_shared<const trace::Reader>(std::move(opened));
  const RecordedInputs recorded(*reader);
  EP_TRY(auto raw, raw_inputs(*reader, {}));
  std::map<std::uint32_t, Sample*> pictures;
  for (std::size_t i = 0; i < raw.samples.size(); ++i) pictures[raw.frames[i]] = &raw.samples[i];
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < reader->frames().size(); ++i) {
    const std::uint32_t frame = reader->frames()[i];
    const trace::FrameRecord& record = reader->records()[i];
    const auto picture = pictures.find(frame);
    Sample sample = picture != pictures.end() ? *picture->second : Sample{};
    sample.name = record.sample.empty() ? "frame " + std::to_string(frame) : record.sample;
    sample.annotation = task::recorded(record);
    if (auto known = dataset::annotation_of(labels, sample.name)) sample.annotation = known;
    const auto specs = recorded.specs(frame);
    if (!specs.empty() && sample.arrays.empty()) {
      sample.arrays = specs;
      sample.load = recorded.loader(frame, sample.load);
    }
    if (!sample.load) continue;
    sample.begins_sequence = samples.empty() || recorded.begins_sequence(frame);
    sample.load = [reader, load = sample.load] { return load(); };
    samples.push_back(std::move(sample));
  }
  if (samples.empty())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(file.string()) +
                     "' contains no model input and no picture: nothing in it can "
                     "be run"};
  return samples;
}

}  // namespace edgeprobe::pipeline
