// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/graph.h"
#include "model/tflite/flatbuffer.h"

namespace edgeprobe::model {

/// Range of a buffer's values in the file. Size 0: no values.
struct BufferRange {
  std::size_t at = 0;
  std::size_t size = 0;
};

/// All buffers of the model, whether their bytes are inside the FlatBuffer or after it.
std::vector<BufferRange> read_buffers(FlatReader& reader, const Table& model);

/// Reads one tensor. Doubtful but readable values add to `warnings` (at most 32).
ModelTensor read_tensor(FlatReader& reader, const Table& table,
                        const std::vector<BufferRange>& buffers,
                        std::vector<std::string>& warnings);

}  // namespace edgeprobe::model
