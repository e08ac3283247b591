// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "diagnose/verdict/verdict.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::report {

/// Whether the user's input pictures are included in a report.
enum class Images {
  kFull,  ///< Embedded, scaled down.
  kNone,  ///< The report contains no pixel of the user's data.
};

/// True if its size matches its bytes.
bool usable(const diagnose::Picture& picture);

/// A usable picture of a sample in this role; null if the verdict has none.
const diagnose::Picture* picture_of(const diagnose::Verdict& verdict, const std::string& sample,
                                    const std::string& role);

/// Height and width of a picture shrunk to `most_edge` pixels; smaller ones are unchanged.
std::pair<int, int> fitted_size(int height, int width, int most_edge);
/// Shrinks to `most_edge` pixels by averaging whole cells; smaller pictures are unchanged.
preprocess::Image fitted(const diagnose::Picture& picture, int most_edge);

/// A data URL of a picture with exact values (PNG), or of a photograph (JPEG, a sixth of the size).
enum class PictureUse { kValues, kPhotograph };
std::string picture_url(const preprocess::Image& image, PictureUse use);
/// As a PNG in base64 (RFC 4648); empty if encoding fails.
std::string png_base64(const preprocess::Image& image);

}  // namespace edgeprobe::report
