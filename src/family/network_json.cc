// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "family/network.h"

namespace edgeprobe::family {
namespace {

using nlohmann::ordered_json;

constexpr std::array kNames{"conv",     "batch_norm",  "relu",  "silu", "sigmoid",
                            "max_pool", "global_pool", "add",   "mul",  "concat",
                            "slice",    "shuffle",     "linear"};

ordered_json json_of(const Network& network, const Layer& layer) {
  ordered_json inputs = ordered_json::array();
  for (const int input : layer.inputs)
    inputs.push_back(input < 0 ? "input" : network.layers[at(input)].name);
  ordered_json out = {{"name", layer.name}, {"op", name(layer.op)}, {"inputs", inputs}};
  switch (layer.op) {
    case Op::kConv:
      out.update({{"in", layer.channels_in},
                  {"out", layer.channels},
                  {"kernel", layer.kernel},
                  {"stride", layer.stride},
                  {"groups", layer.groups},
                  {"bias", layer.bias}});
      break;
    case Op::kBatchNorm:
      out.update({{"channels", layer.channels}, {"final", layer.is_final}});
      break;
    case Op::kMaxPool: out.update({{"kernel", layer.kernel}, {"stride", layer.stride}}); break;
    case Op::kSlice: out.update({{"first", layer.first}, {"count", layer.channels}}); break;
    case Op::kShuffle: out["groups"] = layer.groups; break;
    case Op::kLinear:
      out.update({{"in", layer.channels_in}, {"out", layer.channels}, {"bias", layer.bias}});
      break;
    default: break;
  }
  out["shape"] = {layer.channels, layer.height, layer.width};
  out["stage"] = layer.stage;
  out["branch"] = layer.branch;
  out["processor"] = layer.processor;
  return out;
}

}  // namespace

const char* name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::string to_json(const Network& network) {
  ordered_json out = {
      {"edgeprobe_network", 1},
      {"name", network.name},
      {"input", {3, network.size, network.size}},
      {"classes", network.classes},
      {"batch_norm", {{"epsilon", network.epsilon}, {"momentum", network.momentum}}},
      {"processors", network.processors},
      {"layers", ordered_json::array()},
      {"output", network.layers.back().name},
      {"training", ordered_json::parse(network.training)}};
  for (const Layer& layer : network.layers) out["layers"].push_back(json_of(network, layer));
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::family
