// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

struct HtmlOptions {
  Images images = Images::kFull;  ///< Scaled down to kMostPictureEdge.
};

/// Limits of one page; the page mentions what is left out.
inline constexpr std::size_t kMostSamples = 12;        ///< Samples with pictures.
inline constexpr int kMostPictureEdge = 256;           ///< Pixels.
inline constexpr std::size_t kMostTableLayers = 1000;  ///< Rows of the drift table.
inline constexpr std::size_t kMostListed = 200;        ///< Sentences or names in one list.

/// The verdict as one self-contained HTML page, light and dark, readable from 390 px up and on
/// paper. A content security policy forbids downloads, and all scripts except the page's own.
/// Untrusted text is escaped.
std::string render_html(const diagnose::Verdict& verdict, const HtmlOptions& options = {});

}  // namespace edgeprobe::report
