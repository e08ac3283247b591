// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::dataset {

/// Every .jpg, .jpeg, .png and .bmp file and every camera frame (frame_name.h) below `root` (or the
/// one file that `root` is), in the byte order of their relative names. Symbolic links to folders
/// are not followed. Labels come from `labels` alone; they are never guessed. Pictures of other
/// kinds (.webp, .heic, …) are listed, so that loading them says why they are left out. A folder
/// without any picture is one of recordings: its .wav, .flac, .ogg, … files. A CSV entry without
/// folders also names the one file of that name below `root`. With `most` > 0, that many
/// samples evenly spread over the whole list. kNotFound when there is no folder, kUsage when it
/// holds neither.
Result<std::vector<Sample>> open_folder(const std::filesystem::path& root, const Labels& labels,
                                        std::size_t most = 0);

}  // namespace edgeprobe::dataset
