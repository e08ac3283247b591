// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace edgeprobe::contract {

/// The line of each key and text of a contract's file, by its place as ids spell it:
/// "inputs.image.range", "assertions[3]", "stages.raw_input". Empty where it is no JSON.
std::map<std::string, std::size_t> lines_of(std::string_view text);

/// The line of what an id says most of: of "recipe.resize" that of "recipe". 1 where nothing fits.
std::size_t line_of(const std::map<std::string, std::size_t>& lines, const std::string& id);

}  // namespace edgeprobe::contract
