// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/train/train_flags.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "cli/convert/tool_environment.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/train/training.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/plugin.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

/// The models of python/edgeprobe/train/models.py, so that a wrong name fails before an environment
/// is fetched.
constexpr std::array kModels{"mobilenet_v1", "mobilenet_v2", "mobilenet_v2_torch", "signal"};

Status check_model(const std::string& text) {
  if (engine::names_class(text)) return {};
  const std::string word = text.substr(0, text.find('?'));
  std::vector<std::string> known(kModels.begin(), kModels.end());
  for (const std::string& name : known)
    if (word == name) return {};
  const std::string near = closest_match(word, known);
  return Error{ErrorKind::kUsage, "MODEL '" + sanitized(text, 200) + "': expected " +
                                      edgeprobe::joined(known) +
                                      ", or a class of your own as FILE.py:CLASS or python:NAME" +
                                      (near.empty() ? "" : "; did you mean '" + near + "'?")};
}

Status check_numbers(const TrainArgs& args) {
  if (!(args.learning_rate > 0) || args.learning_rate > 100)
    return Error{ErrorKind::kUsage, "--learning-rate " + number(args.learning_rate) +
                                        ": expected a number above 0, at most 100"};
  if (!(args.checkpoint_every_s >= 0))
    return Error{ErrorKind::kUsage, "--checkpoint-every " + number(args.checkpoint_every_s) +
                                        ": expected seconds, at least 0"};
  if (args.fine_tune > 0 && args.backbone.empty())
    return Error{ErrorKind::kUsage,
                 "--fine-tune unfreezes blocks of a backbone; name its weights with --backbone"};
  return {};
}

/// The data, by whichever of its three names.
Status take_data(TrainArgs& args) {
  for (std::string* const given : {&args.dataset, &args.dataset_root}) {
    if (given->empty()) continue;
    if (!args.data.data.empty() && args.data.data != *given)
      return Error{ErrorKind::kUsage, "the data is named twice: '" +
                                          sanitized(args.data.data, 200) + "' and '" +
                                          sanitized(*given, 200) + "'"};
    args.data.data = *given;
  }
  if (args.data.data.empty())
    return Error{ErrorKind::kUsage,
                 "DATASET is missing: what --data takes, e.g. a folder with a "
                 "folder of pictures for each class, and --labels folders"};
  return {};
}

Status check_output(TrainArgs& args) {
  EP_CHECK(check_training_files("--model-path", args.model_path, "pets.keras", args.logdir));
  EP_CHECK(check_outputs({{"--model-path", args.model_path}, {"--json", args.json.file}},
                         joined(files_of(args.data), std::vector{args.backbone})));
  EP_CHECK(check_writable(args.model_path));
  return check_texts({{"--json", args.json.file}}, {});
}

}  // namespace

Status check_flags(TrainArgs& args) {
  EP_CHECK(check_model(args.model));
  EP_CHECK(check_numbers(args));
  EP_CHECK(take_data(args));
  std::error_code failed;
  if (!args.backbone.empty() && !fs::is_regular_file(args.backbone, failed))
    return Error{ErrorKind::kUsage,
                 "--backbone '" + sanitized(args.backbone, 200) + "' is not a file"};
  return check_output(args);
}

Result<std::string> trainer_python(const TrainArgs& args, Terminal& terminal) {
  if (!args.python.empty()) return args.python;
  const char* const own = std::getenv("EDGEPROBE_PYTHON");
  if (engine::names_class(args.model) && own && *own) return std::string(own);
  static const Tool kKeras{"engines", "keras", "Keras and TensorFlow",
                           "350 MB (1.6 GB on the disk)"};
  return environment(kKeras, terminal);
}

}  // namespace edgeprobe::cli
