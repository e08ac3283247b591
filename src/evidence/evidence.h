// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/tensor.h"
#include "engine/engine.h"

/// A fault of an engine as one small file: a model, an input, what is expected, and where it was
/// seen (docs/reference/evidence.md).
namespace edgeprobe::evidence {

/// A library that took operators from the engine: a delegate, an execution provider.
struct DelegateFile {
  std::string name, sha256;  ///< The hash is "" where the file could not be read.
};

/// Where the fault was seen; holds no host names, user names or paths.
struct Environment {
  engine::EngineIdentity device, host;  ///< Their libraries are file names.
  std::string device_options;           ///< As JSON.
  std::vector<DelegateFile> delegates;  ///< The device's delegates.
  std::string processor, architecture, kernel;
  std::string program;  ///< "edgeprobe 1.0.0".
};

struct Evidence {
  std::string format;            ///< "tflite", "onnx".
  Bytes model;                   ///< Complete.
  std::vector<Tensor> inputs;    ///< In the order of the model; shapes as they are fed.
  std::vector<Tensor> expected;  ///< What the host makes of them.
  std::string operators;         ///< "#12 CONV_2D 'block1/conv'", as the source numbers it.
  double error_over_limit = 0;   ///< As it was seen; 0 where the device gave nothing.
  std::string refused;  ///< What the device said instead of an answer; "" when it gave one.
  std::string source, source_sha256;  ///< The whole model's file name and hash.
  Environment environment;
  std::vector<std::string> left_out;  ///< A sentence for each thing, and why.
};

}  // namespace edgeprobe::evidence
