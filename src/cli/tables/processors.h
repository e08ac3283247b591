// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "processors/examination.h"

namespace edgeprobe::cli {

/// The output of `doctor --processors`: the processors, then each finding with its cause, its
/// remedy and the commands.
std::string processors_text(const processors::Examination& examination);
/// {"processors": {"cpus", "gpus", "dsps", "energy"}, "findings": [{"severity", "what", "cause",
/// "cure", "commands"}, …], "device": the text of a device file or null}
std::string processors_json(const processors::Examination& examination);

}  // namespace edgeprobe::cli
