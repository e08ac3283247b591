// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/profile.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace edgeprobe::engine::onnxruntime {
namespace {

using nlohmann::json;

struct Event {
  NodeTime node;
  std::int64_t start = 0;
  std::int64_t end = 0;
  bool contains(const Event& other) const { return start <= other.start && other.end <= end; }
};

/// ONNX's type names in the engines' short form.
std::string short_type(const std::string& type) {
  constexpr std::array<std::array<const char*, 2>, 13> kNames{{{"float", "f32"},
                                                               {"float16", "f16"},
                                                               {"bfloat16", "bf16"},
                                                               {"double", "f64"},
                                                               {"int8", "i8"},
                                                               {"uint8", "u8"},
                                                               {"int16", "i16"},
                                                               {"uint16", "u16"},
                                                               {"int32", "i32"},
                                                               {"uint32", "u32"},
                                                               {"int64", "i64"},
                                                               {"uint64", "u64"},
                                                               {"bool", "bool"}}};
  for (const auto& [onnx, name] : kNames)
    if (type == onnx) return name;
  return type;
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

/// "output_type_shape": [{"float": [1, 16]}, …]
void read_output(const json& arguments, NodeTime& node) {
  const auto outputs = arguments.find("output_type_shape");
  if (outputs == arguments.end() || !outputs->is_array() || outputs->empty()) return;
  const json& first = outputs->front();
  if (!first.is_object() || first.empty()) return;
  node.precision = short_type(first.begin().key());
  for (const json& dimension : first.begin().value())
    if (dimension.is_number_integer()) node.output.push_back(dimension.get<std::int64_t>());
}

}  // namespace

Result<std::vector<NodeTime>> read_profile(std::string_view text) {
  constexpr std::string_view kSuffix = "_kernel_time";
  const json events = json::parse(text, nullptr, false);
  if (!events.is_array())
    return Error{ErrorKind::kTarget, "ONNX Runtime's profile is not a list of events"};
  std::vector<Event> nodes;
  for (const json& event : events) {
    if (!event.is_object() || text_at(event, "cat") != "Node") continue;
    const std::string name = text_at(event, "name");
    if (!name.ends_with(kSuffix)) continue;
    const auto arguments = event.find("args");
    if (arguments == event.end() || !arguments->is_object()) continue;
    Event node;
    node.node.name = name.substr(0, name.size() - kSuffix.size());
    node.node.type = text_at(*arguments, "op_name");
    node.node.provider = text_at(*arguments, "provider");
    read_output(*arguments, node.node);
    node.start = number_at(event, "ts");
    node.node.time = std::chrono::microseconds(number_at(event, "dur"));
    node.end = node.start + node.node.time.count();
    nodes.push_back(std::move(node));
  }
  // A node is written when it finishes, so the nodes of a body precede the node that contains it.
  std::vector<std::size_t> holders;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const std::string& type = nodes[i].node.type;
        type == "If" || type == "Loop" || type == "Scan")
      holders.push_back(i);
  std::vector<NodeTime> times;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool inside = std::any_of(holders.begin(), holders.end(), [&](std::size_t holder) {
      return holder > i && nodes[holder].contains(nodes[i]);
    });
    if (!inside) times.push_back(std::move(nodes[i].node));
  }
  return times;
}

}  // namespace edgeprobe::engine::onnxruntime
