#pragma once

#include <cstring>
#include <vector>

#include "model/graph.h"
#include "model/tflite.h"

/// Changes to the bytes of a model file, and how to tell that nothing else changed. Internal to this folder.
namespace edgeprobe::model {

/// A FlatBuffer's references reach this far; engines refuse larger files.
inline constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Fills up with zeros to a multiple of `to`.
void align(Bytes& bytes, std::size_t to = 4);
/// Puts a vector of indices behind the file and makes the reference at `slot` point to it.
void append_indices(Bytes& bytes, std::size_t slot, const std::vector<int>& indices);
/// Signatures that do not list every output make LiteRT refuse the file.
void drop_signatures(Bytes& bytes, const TfliteFile& parsed);

bool same(const ModelTensor& a, const ModelTensor& b);
/// Operators with the same inputs, outputs and work, wherever they stand.
bool same(const Layer& a, const Layer& b);
template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace edgeprobe::model
