// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "model/graph.h"
#include "model/tflite/tflite.h"

/// Changes to the bytes of a .tflite file.
namespace edgeprobe::model {

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Pads with zeros to a multiple of `to`.
void align(Bytes& bytes, std::size_t to = 4);
/// Appends a vector of indices to the file and makes the reference at `slot` point to it.
void append_indices(Bytes& bytes, std::size_t slot, const std::vector<int>& indices);
/// Appends a string to the file and makes the reference at `slot` point to it.
void append_text(Bytes& bytes, std::size_t slot, std::string_view text);
/// LiteRT refuses files with signatures that do not list every output. The model gets a new vtable
/// without them, because other tables may share the old one.
void drop_signatures(Bytes& bytes, const TfliteFile& parsed);

}  // namespace edgeprobe::model
