// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine::native {

/// Name, version, help, formats and options of a library as JSON; an engine process opens it. Fails
/// like open(); kTarget if that process crashes or takes too long.
Result<std::string> describe_supervised(const std::filesystem::path& library);

/// The engine of a command line with --plugin: `engine` is the name of one of the libraries'
/// engines, optionally with ?OPTION=VALUE, or another engine's text; "" is the engine of the only
/// library. Engine processes open the libraries to ask for their names; those of data sets are left
/// out. kUsage for an unknown name
/// and for two engines of one name.
Result<EngineChoice> choice_among(const std::vector<std::string>& libraries,
                                  const std::string& engine);

/// Splits "LIBRARY:NAME" or "LIBRARY:NAME?OPTION=VALUE&…", the text of a data set in a library
/// whose name ends in .so. Empty `library`: another text.
struct DataChoice {
  std::string library;
  std::string name;
  std::string options;
};
DataChoice split_data(std::string_view text);

}  // namespace edgeprobe::engine::native
