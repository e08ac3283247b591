// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "stretch/plan.h"

namespace edgeprobe::placement {

struct SearchOptions {
  std::vector<stretch::Processor> processors;  ///< At least one.
  double seconds = 0.3;                        ///< Of each measurement, behind its warm-up.
  std::size_t best = 3;                        ///< Divisions that are measured from end to end.
  std::size_t rounds = 3;  ///< Processes of each of them and of each plain option.
  bool fresh = false;      ///< Measures anew what the cache knows.
  std::chrono::milliseconds time_limit{60'000};  ///< Of one load or one inference.
  std::filesystem::path folder;  ///< Of the model: where data outside its file may lie.
};

}  // namespace edgeprobe::placement
