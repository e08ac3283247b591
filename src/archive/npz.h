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
/// Limit for the number of texts in one array: each takes 32 bytes of memory, even if it takes only
/// one in the file.
inline constexpr std::size_t kMostNpzTexts = std::size_t{1} << 22;

/// The one-dimensional text arrays that are read.
inline constexpr const char *kSamples = "samples", *kSequences = "sequences";

/// Contents of an .npz file: numeric arrays, by name without ".npy", and the names of their samples
/// and sequences.
struct Npz {
  std::vector<Tensor> arrays;
  std::map<std::string, std::vector<std::string>> texts;  ///< Keyed by kSamples and kSequences.
  std::vector<std::string> unread;  ///< Names of the other text arrays, which are not read.
};

/// Reads an archive as written by numpy.savez and savez_compressed: members stored or deflated,
/// booleans, integers and floats of 8 to 64 bits, fixed-width texts. Arrays in Fortran order and
/// big-endian ones are converted to C order, little-endian. Any names are allowed; nothing is
/// written to disk. kCorrupt for damaged bytes (checksums are verified), kUnsupported for pickled
/// objects and other types, kLimit beyond the limits; errors name the member.
Result<Npz> parse_npz(ByteView file);

/// One .npy file; `name` is used for the tensor and in messages.
Result<Npz> parse_npy(ByteView file, const std::string& name);

}  // namespace edgeprobe::archive
