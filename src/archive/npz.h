// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::archive {

/// Limits of a NumPy archive (docs/reference/limits.md).
inline constexpr std::size_t kMostNpzBytes = std::size_t{1} << 31, kMostNpzMembers = 1'000'000;
/// Of one array of texts, which names a sample for each frame: a text takes 32 bytes of memory
/// where the file has one.
inline constexpr std::size_t kMostNpzTexts = std::size_t{1} << 22;

/// The one-dimensional arrays of texts that are read.
inline constexpr const char *kSamples = "samples", *kSequences = "sequences";

/// What an .npz file holds: arrays of numbers, by their names without ".npy", and the names of the
/// samples and of the sequences that they are of.
struct Npz {
  std::vector<Tensor> arrays;
  std::map<std::string, std::vector<std::string>> texts;  ///< Of kSamples and kSequences.
  std::vector<std::string> unread;                        ///< Other arrays of texts.
};

/// Reads an archive as numpy.savez and savez_compressed write it: members stored or deflated,
/// booleans, integers and floats of 8 to 64 bits, texts of fixed width. Arrays in Fortran order and
/// big-endian ones come out in C order, little-endian. Names may be anything; nothing is written
/// anywhere. kCorrupt for damaged bytes (checksums are compared), kUnsupported for pickled objects
/// and other types, kLimit beyond the limits; the member is named.
Result<Npz> parse_npz(ByteView file);

/// One .npy file; `name` is for the tensor and for messages.
Result<Npz> parse_npy(ByteView file, const std::string& name);

}  // namespace edgeprobe::archive
