// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {
namespace {

// Attributes are searched linearly; no standard operator has more than about thirty.
constexpr std::size_t kMostAttributes = 256;

float as_float(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

void add_reals(WireReader& reader, const WireField& field, const Place& place,
               std::vector<float>& into) {
  if (field.type == WireType::kFixed32 && reader.charge(sizeof(float), place))
    into.push_back(as_float(field.value));
  if (field.type != WireType::kLength || !reader.charge(field.run.size, place)) return;
  const std::size_t count = field.run.size / sizeof(float), old = into.size();
  into.resize(old + count);
  if (count) std::memcpy(into.data() + old, reader.bytes(field.run).data, count * sizeof(float));
}

void read_attribute(WireReader& reader, Run run, const Place& place, Attribute& into,
                    int& subgraphs, std::vector<std::string_view>& outer) {
  const Place graph{&place, "g", -1};
  std::vector<Run> body;  // The body in field 6, which may come in several parts.
  reader.each(run, place, [&](const WireField& field) {
    switch (field.number) {
      case 1:
        if (field.type == WireType::kLength) into.name = reader.text(field.run);
        return;
      case 2:
        if (field.type == WireType::kFixed32) into.real = as_float(field.value);
        return;
      case 3:
        if (field.type == WireType::kVarint) into.integer = static_cast<std::int64_t>(field.value);
        return;
      case 4:
        if (field.type == WireType::kLength) into.text = reader.text(field.run);
        return;
      case 5:
        if (field.type != WireType::kLength) return;
        if (!into.tensor) into.tensor.emplace();
        return read_tensor(reader, field.run, {&place, "t", -1}, *into.tensor);
      case 6:
      case 11:
        if (field.type != WireType::kLength) return;
        into.has_graph = true;
        if (field.number == 11) return read_body(reader, {field.run}, graph, 1, subgraphs, outer);
        return body.push_back(field.run);
      case 7: return add_reals(reader, field, place, into.reals);
      case 8: return add_number(reader, field, place, into.integers);
      case 9:
        if (field.type == WireType::kLength && reader.charge(sizeof(std::string_view), place))
          into.texts.push_back(reader.text(field.run));
        return;
      case 20:
        if (field.type == WireType::kVarint)
          into.type = static_cast<int>(static_cast<std::int32_t>(field.value));
        return;
      case 22: into.is_sparse = true; return;
      default: return;
    }
  });
  if (!body.empty()) read_body(reader, body, graph, 1, subgraphs, outer);
}

}  // namespace

void read_node(WireReader& reader, Run run, const Place& place, Node& into, int& subgraphs) {
  into.at = run.at;
  const auto add_name = [&](std::vector<std::string_view>& names, const WireField& field) {
    if (field.type == WireType::kLength && reader.charge(sizeof(std::string_view), place))
      names.push_back(reader.text(field.run));
  };
  reader.each(run, place, [&](const WireField& field) {
    if (field.number == 1) add_name(into.inputs, field);
    if (field.number == 2) add_name(into.outputs, field);
    if (field.is_message(3)) into.name = reader.text(field.run);
    if (field.is_message(4)) into.type = reader.text(field.run);
    if (field.is_message(7)) into.domain = reader.text(field.run);
    if (!field.is_message(5)) return;
    if (into.attributes.size() == kMostAttributes)
      return reader.fail(ErrorKind::kLimit, place, run.at,
                         "has over " + std::to_string(kMostAttributes) + " attributes");
    const Place inner{&place, "attribute", static_cast<std::int64_t>(into.attributes.size())};
    if (!reader.charge(sizeof(Attribute), inner)) return;
    read_attribute(reader, field.run, inner, into.attributes.emplace_back(), subgraphs, into.outer);
  });
  std::sort(into.outer.begin(), into.outer.end());
  into.outer.erase(std::unique(into.outer.begin(), into.outer.end()), into.outer.end());
  reader.charge(into.outer.size() * sizeof(std::string_view), place);
}

std::string qualified_type(const Node& node) {
  const bool is_standard = node.domain.empty() || node.domain == "ai.onnx";
  return (is_standard ? "" : std::string(node.domain) + ":") + std::string(node.type);
}

const Tensor* folded_constant(const Node& node) {
  if (qualified_type(node) != "Constant" || node.outputs.size() != 1 || node.outputs[0].empty())
    return nullptr;
  const Attribute* const value = node.attribute("value");
  return value && value->tensor ? &*value->tensor : nullptr;
}

const Attribute* Node::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Node::integer(std::string_view wanted, std::int64_t absent) const {
  const Attribute* found = attribute(wanted);
  // A writer may omit a field that is 0.
  return found ? found->integer.value_or(0) : absent;
}

std::string_view Node::text(std::string_view wanted) const {
  const Attribute* found = attribute(wanted);
  return found ? found->text : std::string_view();
}

const std::vector<std::int64_t>* Node::integers(std::string_view wanted) const {
  const Attribute* found = attribute(wanted);
  return found ? &found->integers : nullptr;
}

}  // namespace edgeprobe::model::onnx
