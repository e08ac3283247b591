// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"
#include "placement/accuracy/answers.h"
#include "placement/profile/subjects.h"

namespace edgeprobe::cli {

/// A processor that ran a model or its pieces.
struct RanOn {
  std::string name, engine;
  int threads = 1;
  std::vector<int> cpus;  ///< Empty: all.
  std::vector<std::string> delegates;
  double emulated_slowdown = 1;
  std::size_t pieces = 1;
};

/// An executed model and its answers.
struct Evaluation {
  std::string cfg;      ///< As the user or a folder names it.
  std::string weights;  ///< Of a configuration; "" for a model file.
  std::string model_sha256, plan_sha256;
  std::string engine_version;
  std::string precision;                  ///< As --precision: "f32", or "engine".
  std::vector<std::string> weight_types;  ///< "float32"; "int8, int32": as stored, each once.
  TensorSpec input;
  std::string resolution;  ///< "224x224": height and width; "" if the input is not a picture.
  std::string recipe;
  std::vector<RanOn> processors;
  placement::Answers answers;
};

/// Runs one model or plan as it is deployed over the labelled samples. `flags` as of flags_of().
Result<Evaluation> evaluated(const PipelineFlags& flags, const placement::Subject& subject,
                             std::vector<dataset::Sample> samples, const DataFlags& data,
                             Terminal& terminal, const Control& control);

/// The number of pieces, on all processors.
std::size_t pieces_of(const Evaluation& evaluation);
/// "cpu0 (onnxruntime) 2 pieces, …", for one line.
std::string processors_text(const Evaluation& evaluation);
/// The differences between two evaluations apart from their answers: "model", "resolution", …
std::vector<std::string> differences(const Evaluation& a, const Evaluation& b);

}  // namespace edgeprobe::cli
