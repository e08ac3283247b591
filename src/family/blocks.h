// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "family/configuration.h"
#include "family/network.h"

namespace edgeprobe::family {

/// Appends layers to a network; each function returns the index of the layer it adds.
class Builder {
 public:
  Builder(Network& network, Activation activation) : network_(network), inner_(activation) {}

  /// Stage, branch and processor of the layers that follow.
  void at(std::size_t stage, int branch, std::size_t processor);

  int conv(const std::string& name, int input, std::int64_t channels, std::int64_t kernel,
           std::int64_t stride = 1, std::int64_t groups = 1, bool bias = false);
  int norm(const std::string& name, int input, bool is_final = false);
  int activation(const std::string& name, int input, Activation activation);
  int max_pool(const std::string& name, int input, std::int64_t kernel, std::int64_t stride);
  int global_pool(const std::string& name, int input);
  int add(const std::string& name, int a, int b);
  int multiply(const std::string& name, int input, int factors);
  int concat(const std::string& name, const std::vector<int>& inputs);
  int slice(const std::string& name, int input, std::int64_t first, std::int64_t channels);
  int shuffle(const std::string& name, int input, std::int64_t groups);
  int linear(const std::string& name, int input, std::int64_t channels);
  /// Squeeze-excite of `inner` channels with the network's own activation.
  int squeeze(const std::string& name, int input, std::int64_t inner);
  /// One block of a branch; `stride` is that of the block.
  int block(Block kind, const std::string& name, int input, const Branch& branch,
            std::int64_t stride, double squeeze);

  std::int64_t channels(int layer) const;

 private:
  int push(Layer layer);
  Layer like(const std::string& name, Op op, int input) const;
  int transform(Block kind, const std::string& name, int input, const Branch& branch,
                std::int64_t stride, double squeeze);
  int mbconv(const std::string& name, int input, const Branch& branch, std::int64_t stride,
             double squeeze);
  int unit(const std::string& name, int input, const Branch& branch, std::int64_t stride);

  Network& network_;
  Activation inner_;
  std::size_t stage_ = 0, processor_ = 0;
  int branch_ = 0;
};

}  // namespace edgeprobe::family
