// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace edgeprobe::contract {

/// The line of each key and text in a contract's file, keyed by its place in the form of ids:
/// "inputs.image.range", "assertions[3]", "stages.raw_input". Empty if it is not JSON.
std::map<std::string, std::size_t> lines_of(std::string_view text);

/// The line of the longest matching prefix of an id: for "recipe.resize" that of "recipe". 1 if
/// nothing matches.
std::size_t line_of(const std::map<std::string, std::size_t>& lines, const std::string& id);

}  // namespace edgeprobe::contract
