// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/options/json_flag.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/train/epoch_table.h"
#include "cli/train/preparation.h"
#include "cli/train/trainer.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// The part of a training's request that every verb has.
struct TrainingOrder {
  std::string model_path, logdir;
  std::string command;  ///< For the record.
  bool restart = false;
  double checkpoint_every_s = 10;
};

/// A training in another process, with its progress and epochs on the terminal.
class Training {
 public:
  /// `package`: the folder of its main.py. With a `json` on standard output, epochs go to standard
  /// error.
  static Result<Training> start(const char* package, const std::string& interpreter,
                                const JsonFlag& json, Terminal& terminal);

  /// Opens the model, and returns what the process says about it.
  Result<nlohmann::ordered_json> open(const nlohmann::ordered_json& model);
  /// The recipe `given` by a flag, else the model's `own`, which is printed. kUsage if `model` has
  /// none.
  Result<preprocess::Recipe> recipe(const std::string& given, const std::string& own,
                                    const std::string& model) const;
  /// Makes the inputs and trains. `more`: the request's settings and split, and the keys of one
  /// verb. Returns the results, with the samples left out and figures of the inputs.
  Result<nlohmann::ordered_json> run(const Preparation& preparation, const TrainingOrder& order,
                                     const nlohmann::ordered_json& more);

  /// Best epoch, accuracy of the test, and files of a result.
  static void tell(const nlohmann::ordered_json& result, Terminal& terminal);

 private:
  Training(Trainer trainer, std::ostream& epochs, Terminal& terminal)
      : trainer_(std::move(trainer)), table_(epochs), terminal_(&terminal) {}
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json& request);

  Trainer trainer_;
  EpochTable table_;
  Terminal* terminal_;
};

/// kUsage for an output that no folder takes, or without an ending such as that of `example`, and
/// for a `logdir` that is not a folder; an empty one becomes a folder next to the output.
Status check_training_files(const std::string& flag, const std::string& output,
                            const std::string& example, std::string& logdir);

}  // namespace edgeprobe::cli
