// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace edgeprobe::trace {

/// The Metadata record that each part of a recording has.
inline constexpr const char* kPartName = "edgeprobe.part";

/// Removes the file at `path` if it is a part of recording `series`, by the "edgeprobe.part" among
/// its first records, where Parts puts it. Anything else that has this name stays.
void remove_part(const std::filesystem::path& path, const std::string& stream);

}  // namespace edgeprobe::trace
