// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "scenario/scenario.h"

namespace edgeprobe::scenario {

/// The scenario with its relative paths below `folder`, that of its file. A recipe is a file where
/// one of that name is there, else text; a word such as 'folders', a kind of engine and a command
/// are no paths.
Scenario below(Scenario scenario, const std::filesystem::path& folder);

}  // namespace edgeprobe::scenario
