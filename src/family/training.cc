// SPDX-License-Identifier: Apache-2.0
#include "family/training.h"

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::family {
namespace {

using nlohmann::ordered_json;

enum class Kind { kWhole, kReal, kFlag, kWord, kWholes };

/// A key of pycls with its default. Unused ones are read, and named if they differ from it.
struct Key {
  const char* section;
  const char* name;
  Kind kind;
  const char* preset;  ///< JSON.
  bool is_used = true;
};

constexpr Key kKeys[] = {
    {"OPTIM", "OPTIMIZER", Kind::kWord, R"("sgd")"},
    {"OPTIM", "BASE_LR", Kind::kReal, "0.1"},
    {"OPTIM", "MIN_LR", Kind::kReal, "0.0"},
    {"OPTIM", "LR_POLICY", Kind::kWord, R"("cos")"},
    {"OPTIM", "STEPS", Kind::kWholes, "[]"},
    {"OPTIM", "STEP", Kind::kReal, "1.0"},
    {"OPTIM", "LR_MULT", Kind::kReal, "0.1"},
    {"OPTIM", "MAX_EPOCH", Kind::kWhole, "200"},
    {"OPTIM", "MOMENTUM", Kind::kReal, "0.9"},
    {"OPTIM", "DAMPENING", Kind::kReal, "0.0"},
    {"OPTIM", "NESTEROV", Kind::kFlag, "true"},
    {"OPTIM", "BETA1", Kind::kReal, "0.9"},
    {"OPTIM", "BETA2", Kind::kReal, "0.999"},
    {"OPTIM", "WEIGHT_DECAY", Kind::kReal, "0.0005"},
    {"OPTIM", "BIAS_USE_CUSTOM_WEIGHT_DECAY", Kind::kFlag, "false"},
    {"OPTIM", "BIAS_CUSTOM_WEIGHT_DECAY", Kind::kReal, "0.0"},
    {"OPTIM", "WARMUP_FACTOR", Kind::kReal, "0.1"},
    {"OPTIM", "WARMUP_EPOCHS", Kind::kWhole, "0"},
    {"OPTIM", "EMA_ALPHA", Kind::kReal, "1e-05"},
    {"OPTIM", "EMA_UPDATE_PERIOD", Kind::kWhole, "32"},
    {"OPTIM", "MTA", Kind::kFlag, "false", false},
    {"TRAIN", "DATASET", Kind::kWord, R"("")"},
    {"TRAIN", "SPLIT", Kind::kWord, R"("train")"},
    {"TRAIN", "BATCH_SIZE", Kind::kWhole, "128"},
    {"TRAIN", "IM_SIZE", Kind::kWhole, "224"},
    {"TRAIN", "AUTO_RESUME", Kind::kFlag, "true", false},
    {"TRAIN", "WEIGHTS", Kind::kWord, R"("")", false},
    {"TRAIN", "MIXED_PRECISION", Kind::kFlag, "false", false},
    {"TRAIN", "ELASTIC_SIZE", Kind::kWhole, "4"},
    {"TRAIN", "LABEL_SMOOTHING", Kind::kReal, "0.0"},
    {"TRAIN", "MIXUP_ALPHA", Kind::kReal, "0.0", false},
    {"TRAIN", "CUTMIX_ALPHA", Kind::kReal, "0.0", false},
    {"TRAIN", "PCA_STD", Kind::kReal, "0.1", false},
    {"TRAIN", "AUGMENT", Kind::kWord, R"("")", false},
    {"TRAIN", "DISTILL", Kind::kFlag, "false"},
    {"TRAIN", "TEACHER", Kind::kWord, R"("")"},
    {"TRAIN", "TEACHER_NAME", Kind::kWord, R"("")", false},
    {"TEST", "DATASET", Kind::kWord, R"("")"},
    {"TEST", "SPLIT", Kind::kWord, R"("val")"},
    {"TEST", "BATCH_SIZE", Kind::kWhole, "200"},
    {"TEST", "IM_SIZE", Kind::kWhole, "256"},
    {"TEST", "WEIGHTS", Kind::kWord, R"("")", false},
    // Of the phone's power counters; nothing of a network.
    {"TEST", "POWERSAVE_LEVEL", Kind::kWhole, "255"},
    {"BN", "EPS", Kind::kReal, "1e-05"},
    {"BN", "MOM", Kind::kReal, "0.1"},
    {"BN", "USE_PRECISE_STATS", Kind::kFlag, "true"},
    {"BN", "NUM_SAMPLES_PRECISE", Kind::kWhole, "8192"},
    {"BN", "ZERO_INIT_FINAL_GAMMA", Kind::kFlag, "false"},
    {"BN", "USE_CUSTOM_WEIGHT_DECAY", Kind::kFlag, "false"},
    {"BN", "CUSTOM_WEIGHT_DECAY", Kind::kReal, "0.0"},
};

constexpr std::int64_t kMostWhole = 1'000'000'000;
constexpr double kMostReal = 1e9;

Result<ordered_json> read(const Value& value, Kind kind) {
  switch (kind) {
    case Kind::kWhole: {
      EP_TRY(const auto number, whole_number(value, 0, kMostWhole));
      return ordered_json(number);
    }
    case Kind::kReal: {
      EP_TRY(const auto number, real_number(value, 0, kMostReal));
      return ordered_json(number);
    }
    case Kind::kFlag: {
      EP_TRY(const bool given, flag(value));
      return ordered_json(given);
    }
    case Kind::kWord: {
      EP_TRY(const auto text, word(value));
      return ordered_json(text);
    }
    case Kind::kWholes: break;
  }
  if (!value.is_list()) return wrong(value, "expected a list of whole numbers");
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < value.node->items.size(); ++i) {
    EP_TRY(const auto number, whole_number(value.item(i), 0, kMostWhole));
    list.push_back(number);
  }
  return list;
}

}  // namespace

const std::vector<std::string>& training_sections() {
  static const std::vector<std::string> names{"OPTIM", "TRAIN", "TEST", "BN"};
  return names;
}

const std::vector<std::string>& ignored_sections() {
  static const std::vector<std::string> names{
      "DATA_LOADER", "CUDNN",      "PREC_TIME",      "LAUNCH",   "NUM_GPUS",   "OUT_DIR",
      "CFG_DEST",    "RNG_SEED",   "LOG_DEST",       "DESC",     "LOG_PERIOD", "DIST_BACKEND",
      "HOST",        "PORT_RANGE", "DOWNLOAD_CACHE", "DATA_PATH"};
  return names;
}

Result<std::string> training_of(const Value& file, std::vector<std::string>& warnings) {
  ordered_json out = ordered_json::object();
  for (const std::string& section : training_sections()) {
    const Value given = file.find(section);
    std::vector<std::string> known;
    for (const Key& key : kKeys)
      if (section == key.section) known.emplace_back(key.name);
    if (given) EP_CHECK(check_keys(given, known));
    for (const Key& key : kKeys) {
      if (section != key.section) continue;
      ordered_json value = ordered_json::parse(key.preset);
      const Value stated = given ? given.find(key.name) : Value{};
      if (stated) {
        EP_TRY(auto read_value, read(stated, key.kind));
        if (!key.is_used && read_value != value)
          warnings.push_back(place(stated) + ": has no effect here");
        value = std::move(read_value);
      }
      out[section][key.name] = std::move(value);
    }
  }
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Status take_sizes_and_norms(const Value& file, Configuration& out) {
  for (const auto& [section, size] :
       {std::pair("TRAIN", &out.train_size), std::pair("TEST", &out.test_size)}) {
    const Value given = file.find(section);
    const Value pixels = given ? given.find("IM_SIZE") : Value{};
    if (pixels) {
      EP_TRY(*size, whole_number(pixels, 1, 8192));
    }
  }
  if (const Value norms = file.find("BN")) {
    if (const Value epsilon = norms.find("EPS")) {
      EP_TRY(out.epsilon, real_number(epsilon, 1e-12, 1));
    }
    if (const Value momentum = norms.find("MOM")) {
      EP_TRY(out.momentum, real_number(momentum, 0, 1));
    }
  }
  return {};
}

}  // namespace edgeprobe::family
