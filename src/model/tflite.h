#pragma once

#include "model/flatbuffer.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// A graph together with the places of the file that promote() patches.
struct TfliteFile {
  Graph graph;                    ///< Without sha256.
  std::size_t root = 0;           ///< Of the model's table.
  std::size_t vtable = 0;         ///< Of the model's vtable, which other tables may share.
  std::size_t vtable_size = 0;
  std::size_t outputs_slot = 0;   ///< Of the reference to the main graph's outputs; 0 when absent.
};

Result<TfliteFile> parse_tflite(ByteView file, std::string_view label);

}  // namespace edgeprobe::model
