// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/recorded_inputs.h"

#include <charconv>
#include <map>

namespace edgeprobe::pipeline {
namespace {

using dataset::Loaded;

/// Parses "0,4,9"; skips anything that is not a number.
std::set<std::uint32_t> numbers(const std::string& list) {
  std::set<std::uint32_t> found;
  const char *at = list.data(), *const end = list.data() + list.size();
  while (at < end) {
    std::uint32_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec == std::errc{}) found.insert(value);
    at = read.ptr == at ? at + 1 : read.ptr;
  }
  return found;
}

Result<Loaded> load(const trace::Reader& reader,
                    const std::vector<const trace::ReadChannel*>& channels, std::uint32_t frame,
                    const std::function<Result<Loaded>()>& picture) {
  dataset::Arrays arrays;
  for (const trace::ReadChannel* channel : channels) {
    EP_TRY(const auto message, reader.read(frame, channel->id));
    if (!message) continue;
    arrays.arrays.push_back(message->copy());
  }
  if (picture)
    if (auto loaded = picture()) {
      if (dataset::Picture* const held = dataset::picture_of(loaded->input))
        arrays.picture = std::move(*held);
      if (const dataset::Text* const said = dataset::text_of(loaded->input)) arrays.text = *said;
    }
  return Loaded{std::move(arrays), ""};
}

}  // namespace

RecordedInputs::RecordedInputs(const trace::Reader& reader) : reader_(reader) {
  std::map<std::string, int> names;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput) {
      channels_.push_back(&channel);
      ++names[channel.channel.spec.name];
    }
  begins_ = numbers(reader.declared("sequence_begins").value_or(""));
  for (const trace::FrameRecord& record : reader.records())
    if (record.begins_sequence) begins_.insert(record.frame);
  are_data_ = names.size() > 1 || reader.declared("inputs").value_or("") == kTensors;
}

std::vector<TensorSpec> RecordedInputs::specs(std::uint32_t frame) const {
  std::vector<TensorSpec> found;
  for (const trace::ReadChannel* channel : channels_)
    if (const auto message = reader_.read(frame, channel->id); message && *message)
      found.push_back(*(*message)->spec);
  return found;
}

std::function<Result<Loaded>()> RecordedInputs::loader(
    std::uint32_t frame, std::function<Result<Loaded>()> picture) const {
  return [&reader = reader_, channels = channels_, frame, picture = std::move(picture)] {
    return load(reader, channels, frame, picture);
  };
}

}  // namespace edgeprobe::pipeline
