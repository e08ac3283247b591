// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace edgeprobe::trace {

/// Name of the Metadata record in each part of a recording.
inline constexpr const char* kPartName = "edgeprobe.part";

/// Removes the file at `path` if it is a part of recording `series`, according to "edgeprobe.part"
/// in its first records, where Parts writes it. Any other file of this name stays.
void remove_part(const std::filesystem::path& path, const std::string& stream);

}  // namespace edgeprobe::trace
