// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// A tensor of one side. A trace has one channel for each of its shapes, and a list of detections
/// changes its shape between frames: these are one tensor.
struct RecordedTensor {
  /// The first one is from the frame used for matching, if that frame has it.
  std::vector<const trace::ReadChannel*> channels;

  bool varies() const { return channels.size() > 1; }
  /// Its first channel, with -1 for dimensions that vary.
  trace::Channel channel() const;
  /// Its value in a frame; nothing if it is missing there.
  Result<std::optional<TensorView>> read(const trace::Reader& reader, std::uint32_t frame) const;
};

/// True for tensors of one model file with equal name, position and rank on both sides; shapes may
/// differ.
bool is_one_tensor(const RecordedTensor& a, const RecordedTensor& b);

/// The value in this channel, or in another one of the same tensor: a trace has one for each shape.
Result<std::optional<TensorView>> read_in_any_shape(const trace::Reader& reader,
                                                    std::uint32_t frame,
                                                    const trace::ReadChannel& channel);

/// The tensors to compare: pre-processing stages (each shape separately), model inputs, layers and
/// outputs, in this order and by position. `first`: the frame to start with.
std::vector<RecordedTensor> recorded_tensors(const trace::Reader& reader, bool outputs_only,
                                             std::optional<std::uint32_t> first);

}  // namespace edgeprobe::compare
