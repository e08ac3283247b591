#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Limits of a NumPy archive (docs/limits.md).
inline constexpr std::size_t kMostNpzBytes = std::size_t{1} << 31, kMostNpzMembers = 1'000'000;

/// What an .npz file holds: arrays of numbers, and one-dimensional arrays of texts, by their names without ".npy".
struct Npz {
  std::vector<Tensor> arrays;
  std::map<std::string, std::vector<std::string>> texts;
};

/// Reads an archive as numpy.savez and savez_compressed write it: members stored or deflated, little-endian booleans,
/// integers and floats of 8 to 64 bits, texts of fixed width, C order. Names may be anything; nothing is written anywhere.
/// kCorrupt for damaged bytes (checksums are compared), kUnsupported for pickled objects, Fortran order and other types,
/// kLimit beyond the limits; the member is named.
Result<Npz> parse_npz(ByteView file);

/// One .npy file; `name` is for the tensor and for messages.
Result<Npz> parse_npy(ByteView file, const std::string& name);

}  // namespace edgeprobe::compare
