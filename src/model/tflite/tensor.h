// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/graph.h"
#include "model/tflite/flatbuffer.h"

namespace edgeprobe::model {

/// Where the values of a buffer stand, from the start of the file. Size 0: no values.
struct BufferRange {
  std::size_t at = 0;
  std::size_t size = 0;
};

/// All buffers of the model, whether their bytes are in the FlatBuffer or behind it.
std::vector<BufferRange> read_buffers(FlatReader& reader, const Table& model);

/// One tensor. What is doubtful but readable goes to `warnings` (at most 32 of them).
ModelTensor read_tensor(FlatReader& reader, const Table& table,
                        const std::vector<BufferRange>& buffers,
                        std::vector<std::string>& warnings);

}  // namespace edgeprobe::model
