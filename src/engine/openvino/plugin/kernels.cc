// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/kernels.h"

#include <algorithm>
#include <set>
#include <utility>

namespace edgeprobe::engine::openvino {
namespace {

std::string text_of(const ov::Node& node, const char* key) {
  const auto& info = node.get_rt_info();
  const auto found = info.find(key);
  return found == info.end() ? std::string() : found->second.as<std::string>();
}

/// "Convolution (brgconv_avx512_f32)".
std::string type_of(const ov::Node& node, const std::string& layer_type) {
  const std::string primitive = text_of(node, "primitiveType");
  // Except "unknown", "undef".
  if (primitive.empty() || primitive.starts_with("un")) return layer_type;
  return layer_type + " (" + primitive + ")";
}

}  // namespace

Kernels::Kernels(const ov::CompiledModel& compiled, const std::map<std::string, Origin>& origins) {
  std::vector<std::pair<int, Text>> ordered;
  std::set<const ov::Node*> before_inference;
  for (const auto& node : compiled.get_runtime_model()->get_ordered_ops()) {
    const std::string type = text_of(*node, "layerType");
    if (type == "Input" || type == "Output" || type.empty()) continue;
    bool fixed = type == "Const" || node->get_input_size() > 0;
    for (std::size_t i = 0; i < node->get_input_size(); ++i)
      fixed = fixed && before_inference.contains(node->get_input_node_ptr(i));
    // Constant expressions are evaluated when the model is compiled.
    if (fixed) before_inference.insert(node.get());
    if (fixed) continue;
    const std::string order = text_of(*node, "execOrder");
    const std::string name = node->get_friendly_name();
    ordered.emplace_back(order.empty() ? 0 : std::stoi(order),
                         Text{name, original(name, origins), type_of(*node, type),
                              text_of(*node, "runtimePrecision"),
                              layers_of(text_of(*node, "originalLayersNames"), origins)});
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, text] : ordered) texts_.push_back(std::move(text));
  for (const Text& text : texts_)
    described_.push_back({sizeof(edgeprobe_plugin_kernel), text.name.c_str(), text.type.c_str(),
                          text.precision.c_str(), text.layers.data(), text.layers.size()});
  spent_.resize(texts_.size());
}

/// OpenVINO reports the mean over all inferences so far, rounded down to whole microseconds. The
/// corresponding sum is in an interval as wide as the number of inferences. An inference's time is
/// the value nearest to the mean that moves the sum into the next interval. Sums, means and
/// outliers larger than that width are then correct.
void Kernels::times(const ov::InferRequest& request, std::int64_t inferences,
                    std::int64_t* nanoseconds) {
  constexpr std::int64_t kMicrosecond = 1000;
  std::map<std::string, std::int64_t> means;
  for (const ov::ProfilingInfo& info : request.get_profiling_info())
    if (info.status == ov::ProfilingInfo::Status::EXECUTED)
      means[info.node_name] += info.real_time.count();
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto mean = means.find(texts_[i].node);
    nanoseconds[i] = 0;
    if (mean == means.end()) continue;
    const std::int64_t least = std::max(mean->second * inferences * kMicrosecond, spent_[i]);
    const std::int64_t most =
        std::max(((mean->second + 1) * inferences - 1) * kMicrosecond, spent_[i]);
    const std::int64_t usual =
        inferences > 1 ? spent_[i] / (inferences - 1) : mean->second * kMicrosecond;
    const std::int64_t sum = std::clamp(spent_[i] + usual, least, most);
    nanoseconds[i] = sum - spent_[i];
    spent_[i] = sum;
  }
}

}  // namespace edgeprobe::engine::openvino
