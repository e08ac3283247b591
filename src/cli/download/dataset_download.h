// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Fetches the archives of "LAYOUT:FOLDER" (catalog.h) and unpacks them into the folder. Says the
/// size first. FOLDER/.edgeprobe-download keeps what was received, so that the same command
/// continues after Ctrl-C or a broken connection, and which archives are done. Does nothing if all
/// are, or if the folder has files of someone else. kUsage for other data, and for layouts without
/// archives; kLimit without room on the disk; kCorrupt for other bytes than the published ones,
/// which are removed; else as engine::download().
Status download_dataset(const std::string& data, Terminal& terminal);

}  // namespace edgeprobe::cli
