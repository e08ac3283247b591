// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/tensor.h"
#include "engine/engine.h"

/// A fault of an engine as one small file: a model, an input, the expected output, and where it was
/// observed (docs/reference/evidence.md).
namespace edgeprobe::evidence {

/// A library that takes operators from the engine: a delegate, an execution provider.
struct DelegateFile {
  std::string name, sha256;  ///< The hash is "" if the file could not be read.
};

/// Where the fault was observed; contains no host names, user names or paths.
struct Environment {
  engine::EngineIdentity device, host;  ///< Libraries are given as file names.
  std::string device_options;           ///< As JSON.
  std::vector<DelegateFile> delegates;  ///< The device's delegates.
  std::string processor, architecture, kernel;
  std::string program;  ///< "edgeprobe 1.0.0".
};

struct Evidence {
  std::string format;            ///< "tflite", "onnx".
  Bytes model;                   ///< Complete.
  std::vector<Tensor> inputs;    ///< In the model's order; shapes as fed.
  std::vector<Tensor> expected;  ///< The host's results for them.
  std::string operators;         ///< "#12 CONV_2D 'block1/conv'", numbered as in the source.
  double error_over_limit = 0;   ///< As observed; 0 if the device gave no result.
  std::string refused;           ///< The device's error instead of a result; "" if it gave one.
  std::string source, source_sha256;  ///< File name and hash of the whole model.
  Environment environment;
  std::vector<std::string> left_out;  ///< A sentence for each omitted item, with the reason.
};

}  // namespace edgeprobe::evidence
