// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_original_flags.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/text.h"
#include "model/file_bytes.h"
#include "model/graph.h"

namespace edgeprobe::cli {
namespace {

constexpr const char* kGroup = "NN-Stretch's names";

/// A flag or key without effect here, and why.
struct Idle {
  const char* name;
  const char* why;
};
constexpr Idle kIdlePaths[] = {{"--workdir", "nothing is installed in a folder of its own"},
                               {"--mbm_pycls_path", "networks are made by this program"},
                               {"--host_tmp_dir", "made models are removed after each row"},
                               {"--device_tmp_dir", "the model runs on this machine"},
                               {"--android_runtime", "the model runs on this machine"}};
constexpr Idle kIdleKeys[] = {
    {"NUM_GPUS", "a plan is evaluated on its own processors, and one process trains"},
    {"DATA_LOADER.MODE", "pictures are read as they are"},
    {"DATA_LOADER.NUM_WORKERS", "pictures are read as they are"},
    {"TEST.BATCH_SIZE", "one picture at a time is what is deployed"},
    {"TEST.DATASET", "--data names the data"},
    {"LOG_DEST", "results go to the terminal, or with --json to a file"},
    {"LOG_PERIOD", "progress is shown by time"},
    {"CUDNN.BENCHMARK", "the engines of the plan are used"}};

void add_idle(Parser& parser, OriginalFlags& flags, const Idle& idle) {
  parser
      .option(
          idle.name,
          [&flags, &idle](const std::string&) {
            flags.idle.push_back(std::string(idle.name) + " has no effect: " + idle.why);
          },
          std::string("Without effect: ") + idle.why)
      .type("PATH")
      .group(kGroup);
}

Result<int> number_of(const std::string& key, const std::string& text, int most) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && value >= 1 &&
      value <= most)
    return value;
  return Error{ErrorKind::kUsage, key + " '" + sanitized(text, 60) +
                                      "': expected a whole number from 1 to " +
                                      std::to_string(most)};
}

Error no_such_key(const std::string& key) {
  return {ErrorKind::kUsage, "'" + sanitized(key, 60) +
                                 "' cannot be changed on the command line here; change it in the "
                                 "configuration (docs/from-nn-stretch.md)"};
}

/// Notes a key without effect; false for other keys.
bool is_idle(const std::string& key, OriginalFlags& flags) {
  const auto* const idle = std::find_if(std::begin(kIdleKeys), std::end(kIdleKeys),
                                        [&](const Idle& one) { return key == one.name; });
  if (idle == std::end(kIdleKeys)) return false;
  flags.idle.push_back(key + " has no effect: " + idle->why);
  return true;
}

/// The number of words, which are KEY VALUE pairs, must be even.
Status check_pairs(const std::vector<std::string>& words) {
  if (words.size() % 2 == 0) return {};
  return Error{ErrorKind::kUsage, "'" + sanitized(words.back(), 60) +
                                      "' has no value: after --cfg and --mode, words are KEY VALUE "
                                      "pairs"};
}

Status take_key(const std::string& key, const std::string& value, OriginalFlags& flags,
                GeneratedFlags& generated) {
  if (key == "OUT_DIR") flags.out_dir = value;
  else if (key == "TEST.WEIGHTS") generated.weights = value;
  else if (key == "TRAIN.IM_SIZE") {
    EP_TRY(generated.network.size, number_of(key, value, 8192));
  } else if (key == "MODEL.NUM_CLASSES") {
    EP_TRY(generated.network.classes,
           number_of(key, value, static_cast<int>(family::kMostClasses)));
  } else if (key == "TEST.IM_SIZE") {
    return Error{ErrorKind::kUsage,
                 "TEST.IM_SIZE is the resize before the crop; state it in --recipe, e.g. "
                 "'resize(short=256, …) | crop(center, 224x224) | …'"};
  } else if (!is_idle(key, flags)) {
    return no_such_key(key);
  }
  return {};
}

/// `own`: the mode of the verb.
Status check_mode(const std::string& mode, const std::string& own) {
  if (mode.empty() || mode == own) return {};
  const std::pair<const char*, const char*> others[] = {
      {"train", "'edgeprobe stretch train CONFIG'"},
      {"test", "'edgeprobe stretch evaluate CONFIG'"},
      {"info", "'edgeprobe stretch generate CONFIG'"},
      {"time", "'edgeprobe stretch profile CONFIG'"}};
  for (const auto& [word, verb] : others)
    if (mode == word) return Error{ErrorKind::kUsage, "--mode " + mode + " is " + verb + " here"};
  return Error{ErrorKind::kUsage, "--mode '" + sanitized(mode, 60) + "': expected " + own};
}

}  // namespace

void add_pipeline_flags(Parser& parser, std::string& path, OriginalFlags& flags,
                        GeneratedFlags& generated) {
  parser.option("--configs", path, "The same as PATH").type("PATH").group(kGroup);
  parser
      .option("--input_image", flags.input_image,
              "A picture as the input: --data FILE, resized to the network's size as TensorFlow "
              "does, values 0 to 255, unless --recipe says otherwise")
      .type("FILE")
      .group(kGroup);
  parser.flag("--no_root", flags.no_root, "Without effect: root is never required").group(kGroup);
  parser
      .flag("--use_real_weights", generated.needs_weights, "Refuse configurations without weights")
      .group(kGroup);
  parser.option("--serial", flags.serial, "Refused: this machine is measured")
      .type("SERIAL")
      .group(kGroup);
  parser.option("--adb_host", flags.adb_host, "Refused: this machine is measured")
      .type("HOST")
      .group(kGroup);
  for (const Idle& idle : kIdlePaths) add_idle(parser, flags, idle);
}

void add_accuracy_flags(Parser& parser, OriginalFlags& flags) {
  static constexpr Idle kGpus{"--num_gpus", kIdleKeys[0].why};
  parser.option("--cfg", flags.cfg, "The same as MODEL").type("CONFIG").group(kGroup);
  parser.option("--out_dir", flags.out_dir, "A folder for the result: NAME/evaluation.json")
      .type("FOLDER")
      .group(kGroup);
  parser
      .option("--mode", flags.mode,
              "test; then words KEY VALUE … after --cfg change OUT_DIR, TEST.WEIGHTS, "
              "TRAIN.IM_SIZE or MODEL.NUM_CLASSES")
      .type("test")
      .group(kGroup);
  add_idle(parser, flags, kGpus);
  add_idle(parser, flags, kIdlePaths[0]);
}

Status check_original(const OriginalFlags& flags, Terminal& terminal) {
  for (const auto& [flag, value] :
       {std::pair<const char*, const std::string&>{"--serial", flags.serial},
        {"--adb_host", flags.adb_host}})
    if (!value.empty())
      return Error{ErrorKind::kUsage,
                   std::string(flag) +
                       ": 'stretch profile' measures the machine that it runs on, since energy, "
                       "quiet runs and CPUs are counted there. Run it on the phone, in a shell of "
                       "adb; or measure one model from here: edgeprobe bench MODEL --target "
                       "adb:SERIAL (docs/from-nn-stretch.md)"};
  if (flags.no_root)
    terminal.err << "note: --no_root has no effect: root is never required; without a readable "
                    "counter, the energy is empty, with its reason\n";
  for (const std::string& one : flags.idle) terminal.err << "note: " << one << "\n";
  return {};
}

Status take_image(const OriginalFlags& flags, DataFlags& data) {
  if (flags.input_image.empty()) return {};
  if (!data.data.empty())
    return Error{ErrorKind::kUsage, "--input_image is --data with one file; give one of them"};
  std::error_code failure;
  if (!std::filesystem::is_regular_file(flags.input_image, failure))
    return Error{ErrorKind::kUsage, "--input_image '" + sanitized(flags.input_image, 400) +
                                        "': there is no such file"};
  data.data = flags.input_image;
  return {};
}

std::string image_recipe(const std::filesystem::path& model) {
  model::FileBytes file;
  const auto graph = model::load(model, file);
  if (!graph || graph->inputs.size() != 1) return "";
  const TensorSpec& input = graph->tensors[static_cast<std::size_t>(graph->inputs.front())].spec;
  const Shape& shape = input.shape;
  if (shape.size() != 4 || (input.dtype != DType::kFloat32 && input.dtype != DType::kUInt8))
    return "";
  const bool channels_last = shape[3] == 3;
  const std::size_t first = channels_last ? 1 : 2;
  if ((!channels_last && shape[1] != 3) || shape[first] < 1 || shape[first + 1] < 1) return "";
  return "resize(" + std::to_string(shape[first]) + "x" + std::to_string(shape[first + 1]) +
         ", bilinear, like=tensorflow) | color(rgb) | layout(" +
         (channels_last ? "nhwc)" : "nchw)");
}

Status take_overrides(OriginalFlags& flags, const std::vector<std::string>& words,
                      GeneratedFlags& generated, std::vector<std::string>& configurations) {
  EP_CHECK(check_mode(flags.mode, "test"));
  if (!flags.cfg.empty()) configurations.push_back(flags.cfg);
  if (flags.mode.empty() || flags.cfg.empty()) {
    configurations.insert(configurations.end(), words.begin(), words.end());
    return {};
  }
  EP_CHECK(check_pairs(words));
  for (std::size_t i = 0; i < words.size(); i += 2)
    EP_CHECK(take_key(words[i], words[i + 1], flags, generated));
  return {};
}

void add_training_flags(Parser& parser, OriginalFlags& flags) {
  parser.option("--cfg", flags.cfg, "The same as NETWORK").type("CONFIG").group(kGroup);
  parser
      .option("--mode", flags.mode,
              "train; then words KEY VALUE … after --cfg change OUT_DIR, TRAIN.WEIGHTS, "
              "TRAIN.IM_SIZE, TRAIN.BATCH_SIZE, OPTIM.BASE_LR, OPTIM.MAX_EPOCH or RNG_SEED")
      .type("train")
      .group(kGroup);
}

Status take_training(OriginalFlags& flags, std::vector<std::string> words,
                     const TrainingKeys& keys) {
  EP_CHECK(check_mode(flags.mode, "train"));
  if (flags.cfg.empty()) return {};
  std::erase(words, "");
  EP_CHECK(check_pairs(words));
  keys.network = flags.cfg;
  keys.dataset.clear();
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string &key = words[i], &value = words[i + 1];
    if (key == "OUT_DIR") {
      std::error_code failure;
      std::filesystem::create_directories(value, failure);
      if (failure)
        return Error{ErrorKind::kUsage, "OUT_DIR '" + sanitized(value, 300) +
                                            "': cannot create: " + failure.message()};
      keys.output = (std::filesystem::path(value) / "model.safetensors").string();
    } else if (key == "TRAIN.WEIGHTS") {
      keys.weights = value;
    } else if (key == "TRAIN.IM_SIZE") {
      EP_TRY(keys.size, number_of(key, value, 8192));
    } else if (key == "TRAIN.BATCH_SIZE") {
      EP_TRY(keys.batch_size, number_of(key, value, 65536));
    } else if (key == "OPTIM.MAX_EPOCH") {
      EP_TRY(keys.num_epochs, number_of(key, value, 1'000'000));
    } else if (key == "RNG_SEED") {
      EP_TRY(const int seed, number_of(key, value, 1'000'000'000));
      keys.seed = static_cast<std::uint32_t>(seed);
    } else if (key == "OPTIM.BASE_LR") {
      char* end = nullptr;
      keys.learning_rate = std::strtod(value.c_str(), &end);
      if (*end != 0 || !(keys.learning_rate > 0))
        return Error{ErrorKind::kUsage,
                     key + " '" + sanitized(value, 60) + "': expected a number above 0"};
    } else if (!is_idle(key, flags)) {
      return no_such_key(key);
    }
  }
  return {};
}

}  // namespace edgeprobe::cli
