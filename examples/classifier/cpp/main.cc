// A classifier as an app has it: pictures in, one class each out. It says what it does to edgeprobe in four lines (1 to 4).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "engine.h"
#include "picture.h"
#include "prepare.h"

#include "edgeprobe.hpp"
#include "edgeprobe/tflite.hpp"

namespace {

const char kUsage[] =
    "classifier MODEL FOLDER --engine LIBRARY [flags]\n"
    "  --engine LIBRARY       TensorFlow Lite's shared library\n"
    "  --threads N            1\n"
    "  --labels FILE          lines of file,index,name: counts the right answers\n"
    "  --frames N             only the first N pictures\n"
    "  --crop F               0.875: the central part of each side that is kept\n"
    "  --resize KERNEL        antialias, bilinear, nearest, area\n"
    "  --channels ORDER       rgb, bgr\n"
    "  --range LOW..HIGH      -1..1: what black and white become\n"
    "  --rotation DEGREES     0, 90, 180, 270 clockwise\n"
    "  --trace FILE           record what the model gets and answers\n"
    "  --level LEVEL          none, io, embedding, layers\n"
    "  --raw WHICH            sample, none, all: which pictures go into the trace\n"
    "  --own-outputs N        of a model from `edgeprobe instrument`: outputs from N on are layers\n";

struct Settings {
  std::string model, folder, engine, labels, trace;
  int threads = 1;
  std::size_t frames = SIZE_MAX;
  Preparation preparation;
  edgeprobe::Options probe;
};

bool parse(int argc, char** argv, Settings& settings) {
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i], value;
    if (flag.rfind("--", 0) != 0) {
      names.push_back(flag);
      continue;
    }
    const std::size_t equals = flag.find('=');
    if (equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else {
      if (i + 1 == argc) return false;
      value = argv[++i];
    }
    const std::map<std::string, edgeprobe::Level> levels = {{"none", edgeprobe::Level::none}, {"io", edgeprobe::Level::io},
        {"embedding", edgeprobe::Level::embedding}, {"layers", edgeprobe::Level::layers}};
    const std::map<std::string, edgeprobe::Raw> raws = {{"sample", edgeprobe::Raw::sample}, {"none", edgeprobe::Raw::none},
        {"all", edgeprobe::Raw::all}};
    try {
      if (flag == "--engine") settings.engine = value;
      else if (flag == "--threads") settings.threads = std::stoi(value);
      else if (flag == "--labels") settings.labels = value;
      else if (flag == "--frames") settings.frames = std::stoul(value);
      else if (flag == "--crop") settings.preparation.crop = std::stod(value);
      else if (flag == "--resize") settings.preparation.resize = value;
      else if (flag == "--channels") settings.preparation.bgr = value == "bgr";
      else if (flag == "--range") {
        settings.preparation.low = std::stod(value);
        settings.preparation.high = std::stod(value.substr(value.find("..") + 2));
      } else if (flag == "--rotation") settings.preparation.rotation = std::stoi(value);
      else if (flag == "--trace") settings.trace = value;
      else if (flag == "--level") settings.probe.level = levels.at(value);
      else if (flag == "--raw") settings.probe.raw = raws.at(value);
      else if (flag == "--own-outputs") settings.probe.own_outputs = static_cast<std::uint32_t>(std::stoul(value));
      else return false;
    } catch (const std::exception&) {
      return false;
    }
  }
  if (names.size() != 2) return false;
  settings.model = names[0];
  settings.folder = names[1];
  return !settings.engine.empty();
}

std::vector<std::string> pictures_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") {
      names.push_back(std::filesystem::relative(entry.path(), folder).generic_string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, int> read_labels(const std::string& path) {
  std::map<std::string, int> labels;
  std::ifstream file(path);
  std::string line, name, index;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    if (std::getline(fields, name, ',') && std::getline(fields, index, ',') && std::isdigit(static_cast<unsigned char>(index[0]))) {
      labels[name] = std::stoi(index);
    }
  }
  return labels;
}

/// Writes real numbers into the model's input, quantised where it wants that.
void fill(const Engine& engine, TfLiteTensor* input, const std::vector<float>& values) {
  if (engine.TensorType(input) == kTfLiteFloat32) {
    std::memcpy(engine.TensorData(input), values.data(), values.size() * sizeof(float));
    return;
  }
  const TfLiteQuantizationParams quantization = engine.TensorQuantizationParams(input);
  const bool is_signed = engine.TensorType(input) == kTfLiteInt8;
  const float least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  auto* const bytes = static_cast<std::uint8_t*>(engine.TensorData(input));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float stored = std::nearbyint(values[i] / quantization.scale) + static_cast<float>(quantization.zero_point);
    bytes[i] = static_cast<std::uint8_t>(static_cast<int>(std::clamp(stored, least, most)));
  }
}

/// The model's answer in real numbers.
std::vector<float> scores_of(const Engine& engine, const TfLiteTensor* output) {
  const void* const data = engine.TensorData(output);
  std::vector<float> scores(engine.TensorByteSize(output) / (engine.TensorType(output) == kTfLiteFloat32 ? sizeof(float) : 1));
  if (engine.TensorType(output) == kTfLiteFloat32) {
    std::memcpy(scores.data(), data, scores.size() * sizeof(float));
    return scores;
  }
  const TfLiteQuantizationParams quantization = engine.TensorQuantizationParams(output);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const int stored = engine.TensorType(output) == kTfLiteInt8 ? static_cast<const std::int8_t*>(data)[i]
                                                                : static_cast<const std::uint8_t*>(data)[i];
    scores[i] = quantization.scale * static_cast<float>(stored - quantization.zero_point);
  }
  return scores;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const Engine engine(settings.engine, settings.model, settings.threads);
  if (!engine.error().empty()) {
    std::fprintf(stderr, "classifier: %s\n", engine.error().c_str());
    return 1;
  }
  TfLiteInterpreter* const interpreter = engine.interpreter();
  TfLiteTensor* const input = engine.InterpreterGetInputTensor(interpreter, 0);
  const int height = engine.TensorDim(input, 1), width = engine.TensorDim(input, 2);
  const std::map<std::string, int> labels = read_labels(settings.labels);

  settings.probe.wait_when_full = true;  // A folder is read faster than a disk writes; a camera is not.
  edgeprobe::Probe probe;
  edgeprobe_tflite_api tflite = {};
  if (!settings.trace.empty()) {
    probe = edgeprobe::Probe(settings.trace, settings.probe);                                         // 1
    if (!probe.ok()) std::fprintf(stderr, "classifier: not recorded: %s\n", probe.error().c_str());
    edgeprobe_tflite_load(&tflite, engine.library(), dlsym);
  }

  std::size_t right = 0, labelled = 0;
  std::vector<std::string> names = pictures_in(settings.folder);
  names.resize(std::min(names.size(), settings.frames));
  for (const std::string& name : names) {
    const auto picture = load_picture(settings.folder + "/" + name);
    if (!picture) {
      std::fprintf(stderr, "classifier: cannot read %s\n", name.c_str());
      continue;
    }
    const auto frame = probe.frame();                                                                 // 2
    frame.sample(name);
    frame.image("camera", picture->rgb, static_cast<std::size_t>(picture->height), static_cast<std::size_t>(picture->width));
    fill(engine, input, prepare(*picture, height, width, settings.preparation));

    frame.start(interpreter, tflite);                                                                 // 3
    const bool worked = engine.InterpreterInvoke(interpreter) == kTfLiteOk;
    frame.stop(interpreter, tflite);                                                                  // 4
    if (!worked) {
      std::fprintf(stderr, "classifier: TensorFlow Lite cannot classify %s\n", name.c_str());
      return 1;
    }

    const std::vector<float> scores = scores_of(engine, engine.InterpreterGetOutputTensor(interpreter, 0));
    const auto best = std::max_element(scores.begin(), scores.end());
    std::printf("%s %d %.4f\n", name.c_str(), static_cast<int>(best - scores.begin()), static_cast<double>(*best));
    const auto label = labels.find(name);
    if (label != labels.end()) {
      frame.label(label->second);
      ++labelled;
      right += label->second == best - scores.begin() ? 1 : 0;
    }
  }
  if (labelled > 0) std::printf("right: %zu of %zu\n", right, labelled);
  return 0;
}
