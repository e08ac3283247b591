// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "diagnose/verdict/verdict.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::report {

/// Whether the input pictures of the user's data go into a report.
enum class Images {
  kFull,  ///< Embedded, scaled down.
  kNone,  ///< No pixel of the user's data enters the report.
};

/// Its size fits its bytes.
bool usable(const diagnose::Picture& picture);

/// A usable picture of a sample in this role; null: the verdict has none.
const diagnose::Picture* picture_of(const diagnose::Verdict& verdict, const std::string& sample,
                                    const std::string& role);

/// Height and width of a picture shrunk to `most_edge` pixels; of a smaller one its own.
std::pair<int, int> fitted_size(int height, int width, int most_edge);
/// Shrunk to `most_edge` pixels by averaging whole cells; smaller pictures stay as they are.
preprocess::Image fitted(const diagnose::Picture& picture, int most_edge);

/// A data URL of a picture that is exact (PNG), or of a photograph (JPEG, which takes a sixth).
enum class PictureUse { kValues, kPhotograph };
std::string picture_url(const preprocess::Image& image, PictureUse use);
/// As a PNG in base64 (RFC 4648); empty when it cannot be written.
std::string png_base64(const preprocess::Image& image);

}  // namespace edgeprobe::report
