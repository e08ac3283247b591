// SPDX-License-Identifier: Apache-2.0
// A classifier as in a typical app: pictures in, one class each out. Four lines (1 to 4) record it
// with edgeprobe.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "engine.h"
#include "flags.h"
#include "prepare.h"
#include "source.h"

#include "edgeprobe/tflite.hpp"

namespace {

std::map<std::string, int> read_labels(const std::string& path) {
  std::map<std::string, int> labels;
  std::ifstream file(path);
  std::string line, name, index;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    if (std::getline(fields, name, ',') && std::getline(fields, index, ',') &&
        std::isdigit(static_cast<unsigned char>(index[0]))) {
      labels[name] = std::stoi(index);
    }
  }
  return labels;
}

/// Writes real numbers into the model's input, quantised if the model takes integers.
void fill(const Engine& engine, TfLiteTensor* input, const std::vector<float>& values,
          const std::string& how) {
  if (engine.TensorType(input) == kTfLiteFloat32) {
    std::memcpy(engine.TensorData(input), values.data(), values.size() * sizeof(float));
    return;
  }
  const TfLiteQuantizationParams quantization = engine.TensorQuantizationParams(input);
  const bool is_signed = engine.TensorType(input) == kTfLiteInt8;
  const float least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  auto* const bytes = static_cast<std::uint8_t*>(engine.TensorData(input));
  for (std::size_t i = 0; i < values.size(); ++i) {
    float stored = std::nearbyint(values[i] / quantization.scale);
    if (how == "cast") stored = std::trunc(values[i]);
    else if (how != "no-zero") stored += static_cast<float>(quantization.zero_point);
    bytes[i] = static_cast<std::uint8_t>(static_cast<int>(std::clamp(stored, least, most)));
    if (how == "xor") bytes[i] ^= 0x80;
  }
}

/// The model's answer in real numbers.
std::vector<float> scores_of(const Engine& engine, const TfLiteTensor* output) {
  const void* const data = engine.TensorData(output);
  std::vector<float> scores(engine.TensorByteSize(output) /
                            (engine.TensorType(output) == kTfLiteFloat32 ? sizeof(float) : 1));
  if (engine.TensorType(output) == kTfLiteFloat32) {
    std::memcpy(scores.data(), data, scores.size() * sizeof(float));
    return scores;
  }
  const TfLiteQuantizationParams quantization = engine.TensorQuantizationParams(output);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const int stored = engine.TensorType(output) == kTfLiteInt8
                           ? static_cast<const std::int8_t*>(data)[i]
                           : static_cast<const std::uint8_t*>(data)[i];
    scores[i] = quantization.scale * static_cast<float>(stored - quantization.zero_point);
  }
  return scores;
}

int failed(const std::string& why) {
  std::fprintf(stderr, "classifier: %s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  if (!parse(argc, argv, flags)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const Engine engine(flags.engine, flags.model, flags.threads, flags.delegate);
  if (!engine.error().empty()) return failed(engine.error());
  TfLiteInterpreter* const interpreter = engine.interpreter();
  TfLiteTensor* const input = engine.InterpreterGetInputTensor(interpreter, 0);
  const int height = engine.TensorDim(input, 1), width = engine.TensorDim(input, 2);
  const std::map<std::string, int> labels = read_labels(flags.labels);
  Source source(flags.source);

  // A folder is read faster than the disk can write a trace, so the probe waits. An app with a
  // camera must not wait.
  flags.probe.wait_when_full = true;
  edgeprobe::Probe probe;
  edgeprobe_tflite_api tflite = {};
  if (!flags.trace.empty()) {
    // 1
    probe = edgeprobe::Probe(flags.trace, flags.probe);
    for (const auto& [name, value] : flags.facts) probe.describe(name, value);
    edgeprobe_tflite_load(&tflite, engine.library(), dlsym);
  }

  std::size_t right = 0, labelled = 0;
  for (std::size_t i = 0; i < flags.frames; ++i) {
    const auto item = source.next();
    if (!item) break;
    const Picture& picture = item->picture;
    // 2
    const auto frame = probe.frame();
    frame.sample(item->name);
    frame.image("camera", picture.rgb, static_cast<std::size_t>(picture.height),
                static_cast<std::size_t>(picture.width));
    fill(engine, input, prepare(picture, height, width, flags.preparation), flags.quantize);

    // 3
    frame.start(interpreter, tflite);
    const bool worked = engine.InterpreterInvoke(interpreter) == kTfLiteOk;
    // 4
    frame.stop(interpreter, tflite);
    if (!worked) return failed("TensorFlow Lite cannot classify " + item->name);

    const std::vector<float> scores =
        scores_of(engine, engine.InterpreterGetOutputTensor(interpreter, 0));
    const auto best = std::max_element(scores.begin(), scores.end());
    std::printf("%s %d %.4f\n", item->name.c_str(), static_cast<int>(best - scores.begin()),
                static_cast<double>(*best));
    // 5
    frame.answer(edgeprobe::Answer().classes({best - scores.begin()}).scores({*best}));
    const auto label = labels.find(item->name);
    if (label != labels.end()) {
      frame.label(label->second);
      ++labelled;
      right += label->second == best - scores.begin() ? 1 : 0;
    }
  }
  if (!source.error().empty()) return failed(source.error());
  if (labelled > 0) std::printf("right: %zu of %zu\n", right, labelled);
  return 0;
}
