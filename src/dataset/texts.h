// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::dataset {

/// Whether a file holds texts, by its ending: .txt or .csv.
bool is_texts_name(std::string_view file_name);

/// The samples of a file of texts, "reviews.csv:2" by their line. A .txt has one text a line. A
/// .csv has a header line with the column `text`, or `text_a` and `text_b` for pairs, and may have
/// `label`, a class number (`labels` go before); RFC 4180, no record spans lines. Empty lines of a
/// .txt are texts, too. kCorrupt names the line that is no UTF-8 or no CSV, and what is missing.
Result<std::vector<Sample>> open_texts(const std::filesystem::path& file, const Labels& labels);

}  // namespace edgeprobe::dataset
