// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/shape.h"
#include "dataset/sample.h"
#include "dataset/split.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

/// A sample with a class, and the part of the data set that it belongs to.
struct TrainingSample {
  dataset::Sample sample;
  dataset::Part part = dataset::Part::kTrain;
  std::int32_t label = -1;
  std::string hash;  ///< Of its content.
};

/// A set of samples to prepare: samples in the order of their parts, and the recipe that is
/// deployed.
struct Preparation {
  std::vector<TrainingSample> samples;
  preprocess::Recipe recipe;
  std::vector<std::string> classes;
  Shape shape;  ///< Of one input, without its batch dimension.
  /// Samples that were left out before, with the reason.
  std::vector<dataset::Unreadable> left_out;

  /// Hash of the recipe, and of part, class and content of each sample, independent of their names.
  std::string key() const;
};

/// The shape that the recipe makes of these samples: of the first that it can be applied to. The
/// error of the first sample if there is none.
Result<Shape> shape_of(const std::vector<TrainingSample>& samples,
                       const preprocess::Recipe& recipe);

/// The outcome of a preparation.
struct PreparedStore {
  std::vector<dataset::Unreadable> left_out;  ///< Of all samples.
  std::size_t samples = 0;
  std::uint64_t bytes = 0;
  bool holds_codes = false;
  double seconds = 0, cpu_seconds = 0;  ///< Of this process.
  bool was_there = false;               ///< A run before had prepared the same.
};

/// Writes the inputs of all samples into `folder` (StoreWriter), with `samples.csv` and at last
/// `store.json`, on both cores for samples of files. Samples that cannot be used are left out.
/// kUsage if the part for training, or a part that had samples, is empty afterwards.
Result<PreparedStore> prepare_store(const Preparation& preparation,
                                    const std::filesystem::path& folder, Terminal& terminal);

}  // namespace edgeprobe::cli
