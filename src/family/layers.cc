// SPDX-License-Identifier: Apache-2.0
#include "core/index.h"
#include "family/blocks.h"

namespace edgeprobe::family {

void Builder::at(std::size_t stage, int branch, std::size_t processor) {
  stage_ = stage;
  branch_ = branch;
  processor_ = processor;
}

std::int64_t Builder::channels(int layer) const {
  return layer < 0 ? 3 : network_.layers[edgeprobe::at(layer)].channels;
}

int Builder::push(Layer layer) {
  layer.stage = stage_;
  layer.branch = branch_;
  layer.processor = processor_;
  network_.layers.push_back(std::move(layer));
  return static_cast<int>(network_.layers.size()) - 1;
}

/// A layer whose tensor has the shape of its input.
Layer Builder::like(const std::string& name, Op op, int input) const {
  Layer layer;
  layer.name = name;
  layer.op = op;
  layer.inputs = {input};
  layer.channels = layer.channels_in = channels(input);
  layer.height = input < 0 ? network_.size : network_.layers[edgeprobe::at(input)].height;
  layer.width = input < 0 ? network_.size : network_.layers[edgeprobe::at(input)].width;
  return layer;
}

int Builder::conv(const std::string& name, int input, std::int64_t channels, std::int64_t kernel,
                  std::int64_t stride, std::int64_t groups, bool bias) {
  Layer layer = like(name, Op::kConv, input);
  layer.channels = channels;
  layer.kernel = kernel;
  layer.stride = stride;
  layer.groups = groups;
  layer.bias = bias;
  layer.height = (layer.height - 1) / stride + 1;
  layer.width = (layer.width - 1) / stride + 1;
  return push(std::move(layer));
}

int Builder::norm(const std::string& name, int input, bool is_final) {
  Layer layer = like(name, Op::kBatchNorm, input);
  layer.is_final = is_final;
  return push(std::move(layer));
}

int Builder::activation(const std::string& name, int input, Activation activation) {
  return push(like(name, activation == Activation::kRelu ? Op::kRelu : Op::kSilu, input));
}

int Builder::max_pool(const std::string& name, int input, std::int64_t kernel,
                      std::int64_t stride) {
  Layer layer = like(name, Op::kMaxPool, input);
  layer.kernel = kernel;
  layer.stride = stride;
  layer.height = (layer.height - 1) / stride + 1;
  layer.width = (layer.width - 1) / stride + 1;
  return push(std::move(layer));
}

int Builder::global_pool(const std::string& name, int input) {
  Layer layer = like(name, Op::kGlobalPool, input);
  layer.height = layer.width = 1;
  return push(std::move(layer));
}

int Builder::add(const std::string& name, int a, int b) {
  Layer layer = like(name, Op::kAdd, a);
  layer.inputs.push_back(b);
  return push(std::move(layer));
}

int Builder::multiply(const std::string& name, int input, int factors) {
  Layer layer = like(name, Op::kMul, input);
  layer.inputs.push_back(factors);
  return push(std::move(layer));
}

int Builder::concat(const std::string& name, const std::vector<int>& inputs) {
  Layer layer = like(name, Op::kConcat, inputs.front());
  layer.inputs = inputs;
  layer.channels = 0;
  for (const int input : inputs) layer.channels += channels(input);
  return push(std::move(layer));
}

int Builder::slice(const std::string& name, int input, std::int64_t first, std::int64_t channels) {
  Layer layer = like(name, Op::kSlice, input);
  layer.first = first;
  layer.channels = channels;
  return push(std::move(layer));
}

int Builder::shuffle(const std::string& name, int input, std::int64_t groups) {
  Layer layer = like(name, Op::kShuffle, input);
  layer.groups = groups;
  return push(std::move(layer));
}

int Builder::linear(const std::string& name, int input, std::int64_t channels) {
  Layer layer = like(name, Op::kLinear, input);
  layer.channels = channels;
  layer.bias = true;
  return push(std::move(layer));
}

}  // namespace edgeprobe::family
