// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// Inputs of a model that is measured.
struct GivenInputs {
  std::map<std::string, Shape> shapes;  ///< Sizes for open dimensions of inputs, by name.
  /// Real values in the form of these specs, one list for each sample; without it, random ones.
  std::function<Result<std::vector<std::vector<Tensor>>>(const std::vector<TensorSpec>&)> real;
};

struct SearchOptions {
  std::vector<stretch::Processor> processors;  ///< At least one.
  double seconds = 0.3;                        ///< Duration of each measurement, after its warm-up.
  std::size_t best = 3;                        ///< Number of divisions measured end to end.
  std::size_t rounds = 3;  ///< Number of processes for each of these divisions and for each plain
                           ///< option.
  bool fresh = false;      ///< Ignore cached measurements.
  std::chrono::milliseconds time_limit{60'000};  ///< Limit for one load or one inference.
  std::filesystem::path folder;  ///< Folder of the model; may contain its external data.
  GivenInputs inputs;
};

}  // namespace edgeprobe::placement
