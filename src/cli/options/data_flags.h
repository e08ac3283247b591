// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"

namespace edgeprobe::cli {

/// What a verb runs on, and what is true of it.
struct DataFlags {
  std::string data, labels, classes;
  std::string frames;  ///< A whole number of at least 1; empty: all.
};
/// `usual_frames`: what --frames is without the flag, for --help.
void add_data(Parser& parser, DataFlags& flags, bool required,
              const std::string& usual_frames = "all");

/// 0 when all are wanted.
Result<std::size_t> frames_from(const DataFlags& flags);
/// Of a folder of pictures, an .npz file or a trace. No samples when no --data was given. Of
/// recorded tensors the first --frames are taken, since their order may matter. kUsage when labels
/// are given that belong to none of them. `warning` receives a sentence when --frames leaves out
/// whole classes: an accuracy is then that of the others.
Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags,
                                                  std::string* warning = nullptr);

/// `--labels folders` numbers folders by their names, which need not be the order of the model's
/// classes. A sentence where there are fewer folders than classes and no --classes; else empty.
std::string folders_in_doubt(const DataFlags& flags, const std::vector<dataset::Sample>& samples,
                             const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::cli
