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

/// Fills up with zeros to a multiple of `to`.
void align(Bytes& bytes, std::size_t to = 4);
/// Puts a vector of indices behind the file and makes the reference at `slot` point to it.
void append_indices(Bytes& bytes, std::size_t slot, const std::vector<int>& indices);
/// Puts a string behind the file and makes the reference at `slot` point to it.
void append_text(Bytes& bytes, std::size_t slot, std::string_view text);
/// Signatures that do not list every output make LiteRT refuse the file.
void drop_signatures(Bytes& bytes, const TfliteFile& parsed);

}  // namespace edgeprobe::model
