// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "family/configuration.h"

namespace edgeprobe::family {

enum class Op {
  kConv,  ///< Padded by kernel/2 on all sides.
  kBatchNorm,
  kRelu,
  kSilu,  ///< x * sigmoid(x).
  kSigmoid,
  kMaxPool,     ///< Padded by kernel/2 on all sides.
  kGlobalPool,  ///< Mean over height and width; one pixel remains.
  kAdd,
  kMul,      ///< The second input has one pixel.
  kConcat,   ///< Of channels.
  kSlice,    ///< Channels [first, first + channels).
  kShuffle,  ///< Channels of `groups` groups in turn.
  kLinear,
};
/// "conv", "batch_norm", …: as in the network's JSON.
const char* name(Op op);

/// One step of a network, and the tensor that it makes.
struct Layer {
  std::string name;
  Op op = Op::kConv;
  std::vector<int> inputs;  ///< Layers; -1: the picture.
  // Of the tensor.
  std::int64_t channels = 0, height = 1, width = 1;
  std::int64_t channels_in = 0;  ///< Of the first input.
  std::int64_t kernel = 1, stride = 1, groups = 1, first = 0;
  bool bias = false;
  bool is_final = false;  ///< The last batch norm of a residual block.
  std::size_t stage = 0;  ///< 0: the stem; the last one: the head.
  int branch = 0;         ///< -1: joins the branches of its stage.
  std::size_t processor = 0;
};

/// A parameter or statistic, named as in the state_dict() of a PyTorch module.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  bool is_trained = true;  ///< False: a statistic of a batch norm.
};

/// A network as one list of layers: counted, written as a model, trained and evaluated.
struct Network {
  std::string name;
  std::int64_t size = 224;  ///< Pixels of a side of the picture, which has 3 channels.
  std::int64_t classes = 0;
  double epsilon = 1e-5, momentum = 0.1;
  std::vector<std::string> processors;
  std::size_t stages = 0;     ///< Without stem and head.
  std::vector<Layer> layers;  ///< Each after its inputs; the last one makes the class scores.
  std::string training;       ///< Configuration::training.
  std::vector<std::string> warnings;
};

struct BuildOptions {
  std::int64_t size = 0;     ///< 0: that of the file; NN-Stretch's have 224.
  std::int64_t classes = 0;  ///< 0: those of the file.
  /// Adapters in every stage, which weights of the artifact's PyTorch module need.
  bool all_adapters = false;
  double most_macs = 10e9;
};

/// kUsage for a picture that is smaller than the strides, kLimit for a network beyond the limits.
Result<Network> build(const Configuration& configuration, const BuildOptions& options);
/// load_configuration() and build().
Result<Network> load_network(const std::filesystem::path& path, const BuildOptions& options);

/// Parameters and statistics in the order of the layers.
std::vector<Parameter> parameters(const Layer& layer);
std::vector<Parameter> parameters(const Network& network);

/// docs/reference/families.md describes the keys.
std::string to_json(const Network& network);

}  // namespace edgeprobe::family
