// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace edgeprobe::search {

/// The app's difference in words: "the app takes the first row; the reference's recipe has
/// pool(mean, mask=1)". Of the steps that may contain the difference, names the first one in the
/// recipe's text.
std::string difference_words(const std::string& app, std::span<const std::string_view> steps,
                             std::string_view recipe);

}  // namespace edgeprobe::search
