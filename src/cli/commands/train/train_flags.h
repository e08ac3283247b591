// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe train MODEL DATASET --model-path OUT`.
struct TrainArgs {
  std::string model;
  std::string dataset, dataset_root;  ///< Other names of `data.data`.
  DataFlags data;
  double time_limit_s = 60;
  std::string recipe;  ///< Empty: the model's own.
  std::string model_path;
  std::string logdir;  ///< Empty: a folder next to the model.
  int batch_size = 32;
  double learning_rate = 1e-3;
  int num_epochs = 10;
  int fine_tune = 0;
  std::string backbone;
  std::string augment;
  std::uint32_t seed = 1;
  double checkpoint_every_s = 10;
  bool restart = false;
  std::string python;
  JsonFlag json;
};

/// Checks all flags, before an environment is made; `dataset` and `dataset_root` become the data,
/// and `logdir` is filled in.
Status check_flags(TrainArgs& args);

/// The Python that trains: --python, for a plug-in $EDGEPROBE_PYTHON if that is set, else an
/// environment with Keras.
Result<std::string> trainer_python(const TrainArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
