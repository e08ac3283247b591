// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "family/blocks.h"
#include "family/count.h"
#include "family/forms.h"

namespace edgeprobe::family {
namespace {

/// Largest number of layers, and of weights: an .onnx file has at most 2 GB.
constexpr std::size_t kMostLayers = 20'000;
constexpr double kMostParameters = 500e6;

int stem_of(const Configuration& configuration, Builder& builder) {
  builder.at(0, 0, configuration.stem_processor);
  const bool is_small = configuration.stem == Stem::kSmall;
  int x = builder.conv("stem.conv", -1, configuration.stem_width,
                       is_small ? 3 : configuration.stem_kernel, is_small ? 1 : 2);
  x = builder.activation("stem.af", builder.norm("stem.bn", x), configuration.activation);
  return configuration.stem == Stem::kPooled ? builder.max_pool("stem.pool", x, 3, 2) : x;
}

/// The layers of one branch, with its adapters, if there are any.
int branch_of(const Configuration& configuration, const Stage& stage, const Branch& branch,
              const std::string& name, int input, Builder& builder) {
  const bool adapts = has_adapters(configuration, stage);
  const std::int64_t out = width_out(configuration, stage, branch);
  const bool adapts_out = adapts && out != branch.width;
  // With an adapter after it, the branch itself is the first module of a sequence.
  std::string at = adapts_out ? name + ".0" : name;
  int x = input;
  if (adapts) {
    const double share = static_cast<double>(branch.width) / static_cast<double>(stage.joined);
    const std::int64_t width = next_to_eight(share * static_cast<double>(builder.channels(input)));
    x = builder.norm(at + ".1", builder.conv(at + ".0", x, width, 1));
    at += ".2";
  }
  for (std::int64_t i = 0; i < branch.depth; ++i)
    x = builder.block(configuration.block, at + ".b" + std::to_string(i + 1), x, branch,
                      i == 0 ? branch.stride : 1, configuration.squeeze);
  if (adapts_out) x = builder.norm(name + ".2", builder.conv(name + ".1", x, out, 1));
  return x;
}

void head_of(const Configuration& configuration, std::int64_t classes, int x, Builder& builder) {
  builder.at(configuration.stages.size() + 1, 0, configuration.head_processor);
  if (configuration.head_width > 0) {
    x = builder.conv("head.conv", x, configuration.head_width, 1);
    x = builder.activation("head.af", builder.norm("head.bn", x), configuration.activation);
  }
  builder.linear("head.fc", builder.global_pool("head.avg_pool", x), classes);
}

/// kLimit before anything of that size is made.
Status check_limits(const Network& network, double most_macs) {
  const Count count = count_of(network);
  if (network.layers.size() > kMostLayers)
    return Error{ErrorKind::kLimit, "the network has " + std::to_string(network.layers.size()) +
                                        " layers; at most " + std::to_string(kMostLayers) +
                                        " are supported"};
  if (count.parameters > kMostParameters)
    return Error{ErrorKind::kLimit, "the network has " + number(count.parameters / 1e6) +
                                        " million parameters; an .onnx file holds at most " +
                                        number(kMostParameters / 1e6) + " million"};
  if (count.macs > most_macs)
    return Error{ErrorKind::kLimit, "the network takes " + number(count.macs / 1e9) + " GMAC at " +
                                        std::to_string(network.size) +
                                        " pixels, above the limit of " + number(most_macs / 1e9) +
                                        "; --most-gmacs raises it"};
  return {};
}

}  // namespace

Result<Network> build(const Configuration& configuration, const BuildOptions& options) {
  Network network;
  network.name = configuration.name;
  network.size = options.size > 0 ? options.size : configuration.size;
  network.classes = options.classes > 0 ? options.classes : configuration.classes;
  network.epsilon = configuration.epsilon;
  network.momentum = configuration.momentum;
  network.processors = configuration.processors;
  network.stages = configuration.stages.size();
  network.training = configuration.training;
  network.warnings = configuration.warnings;
  if (options.size == 0 && configuration.train_size > 0 &&
      configuration.train_size != configuration.size)
    network.warnings.push_back(
        sanitized(configuration.name, 200) + ": TRAIN.IM_SIZE is " +
        std::to_string(configuration.train_size) + ", and the network has " +
        std::to_string(network.size) + " pixels, as NN-Stretch timed it; --size " +
        std::to_string(configuration.train_size) + " makes it that of the training, in every verb");
  Configuration wanted = configuration;
  if (options.all_adapters && wanted.adapters == Adapters::kBranched)
    wanted.adapters = Adapters::kAll;
  std::size_t blocks = 0;
  for (const Stage& stage : wanted.stages)
    for (const Branch& branch : stage.branches) blocks += static_cast<std::size_t>(branch.depth);
  if (blocks > kMostLayers)
    return Error{ErrorKind::kLimit, "the network has " + std::to_string(blocks) + " blocks"};

  Builder builder(network, wanted.activation);
  int x = stem_of(wanted, builder);
  for (std::size_t i = 0; i < wanted.stages.size(); ++i) {
    const Stage& stage = wanted.stages[i];
    const std::string name = "s" + std::to_string(i + 1);
    std::vector<int> ends;
    for (std::size_t k = 0; k < stage.branches.size(); ++k) {
      builder.at(i + 1, static_cast<int>(k), stage.branches[k].processor);
      ends.push_back(branch_of(wanted, stage, stage.branches[k],
                               name + ".branches." + std::to_string(k), x, builder));
    }
    builder.at(i + 1, -1, wanted.merge_processor);
    x = ends.size() == 1 ? ends.front() : builder.concat(name + ".concat", ends);
  }
  head_of(wanted, network.classes, x, builder);
  for (const Layer& layer : network.layers)
    if (layer.channels < 1)
      return Error{ErrorKind::kUsage, "layer '" + layer.name + "' would have no channels"};
  EP_CHECK(check_limits(network, options.most_macs));
  return network;
}

Result<Network> load_network(const std::filesystem::path& path, const BuildOptions& options) {
  EP_TRY(const auto configuration, load_configuration(path));
  auto network = build(configuration, options);
  if (!network) return std::move(network).error().during(sanitized(path.string(), 300));
  return network;
}

std::vector<Parameter> parameters(const Layer& layer) {
  const std::int64_t out = layer.channels;
  std::vector<Parameter> list;
  switch (layer.op) {
    case Op::kConv:
      list.push_back({layer.name + ".weight",
                      {out, layer.channels_in / layer.groups, layer.kernel, layer.kernel}});
      break;
    case Op::kLinear: list.push_back({layer.name + ".weight", {out, layer.channels_in}}); break;
    case Op::kBatchNorm:
      return {{layer.name + ".weight", {out}},
              {layer.name + ".bias", {out}},
              {layer.name + ".running_mean", {out}, false},
              {layer.name + ".running_var", {out}, false}};
    default: return {};
  }
  if (layer.bias) list.push_back({layer.name + ".bias", {out}});
  return list;
}

std::vector<Parameter> parameters(const Network& network) {
  std::vector<Parameter> all;
  for (const Layer& layer : network.layers)
    for (Parameter& one : parameters(layer)) all.push_back(std::move(one));
  return all;
}

}  // namespace edgeprobe::family
