// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/stretch_subjects.h"
#include "cli/options/data_flags.h"
#include "cli/options/parser.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

/// The command lines of NN-Stretch's scripts, which work as they stand (docs/from-nn-stretch.md).
namespace edgeprobe::cli {

/// Flags of run_pipeline.py, eval_acc.py and run_net.py that have another form or no meaning here.
struct OriginalFlags {
  std::string input_image, serial, adb_host;  ///< run_pipeline.py
  bool no_root = false;
  std::string cfg, out_dir, mode;  ///< eval_acc.py, run_net.py
  /// Flags that were given and have no effect, each with the reason.
  std::vector<std::string> idle;
};

/// The flags of run_pipeline.py; `path` receives --configs.
void add_pipeline_flags(Parser& parser, std::string& path, OriginalFlags& flags,
                        GeneratedFlags& generated);
/// Those of eval_acc.py, and of run_net.py.
void add_accuracy_flags(Parser& parser, OriginalFlags& flags);

/// Prints what has no effect. kUsage for a phone: 'stretch profile' measures the machine that it
/// runs on.
Status check_original(const OriginalFlags& flags, Terminal& terminal);

/// Turns --input_image into --data.
Status take_image(const OriginalFlags& flags, DataFlags& data);
/// The pre-processing of run_pipeline.py for this model's picture: TensorFlow's bilinear resize,
/// values 0 to 255. "" for a model without one picture of a known size, and for an int8 input: the
/// default recipe fits those.
std::string image_recipe(const std::filesystem::path& model);

/// Turns "--cfg X --mode test KEY VALUE …" into our flags: `words` are what follows the flags, and
/// `configurations` receives X.
Status take_overrides(OriginalFlags& flags, const std::vector<std::string>& words,
                      GeneratedFlags& generated, std::vector<std::string>& configurations);

/// Flags of run_net.py --mode train.
void add_training_flags(Parser& parser, OriginalFlags& flags);
/// The settings of 'stretch train' that keys change.
struct TrainingKeys {
  std::string &network, &dataset, &output, &weights;
  int &size, &num_epochs, &batch_size;
  double& learning_rate;
  std::uint32_t& seed;
};
/// Turns "--cfg X --mode train KEY VALUE …" into these; `words` are what follows the flags. OUT_DIR
/// is made, and receives model.safetensors.
Status take_training(OriginalFlags& flags, std::vector<std::string> words,
                     const TrainingKeys& keys);

}  // namespace edgeprobe::cli
