// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// A tensor of one side. A trace has a channel for each shape of it, and a list of what was
/// detected has another shape in each frame: these are one tensor.
struct RecordedTensor {
  /// The first is the one of the frame by which it was sought, where that frame has it.
  std::vector<const trace::ReadChannel*> channels;

  bool varies() const { return channels.size() > 1; }
  /// As its first channel; -1 where a dimension varies.
  trace::Channel channel() const;
  /// Its value in a frame; nothing where the frame has none.
  Result<std::optional<TensorView>> read(const trace::Reader& reader, std::uint32_t frame) const;
};

/// Tensors of one model file that have one name, place and rank on both sides, in shapes that may
/// differ.
bool is_one_tensor(const RecordedTensor& a, const RecordedTensor& b);

/// The value in a channel, or in another one of the same tensor: a trace has one for each of its
/// shapes.
Result<std::optional<TensorView>> read_in_any_shape(const trace::Reader& reader,
                                                    std::uint32_t frame,
                                                    const trace::ReadChannel& channel);

/// The tensors that are compared: stages of the pre-processing (each shape for itself), model
/// inputs, layers and outputs, in this order and by position. `first`: the frame to begin with.
std::vector<RecordedTensor> recorded_tensors(const trace::Reader& reader, bool outputs_only,
                                             std::optional<std::uint32_t> first);

}  // namespace edgeprobe::compare
