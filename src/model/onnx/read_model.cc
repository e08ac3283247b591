// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {
namespace {

// A new element of `list`, charged to the budget; nothing if the budget is used up.
template <class T>
T* grown(WireReader& reader, std::vector<T>& list, const Place& place) {
  return reader.charge(sizeof(T), place) ? &list.emplace_back() : nullptr;
}

void read_graph(WireReader& reader, Run run, const Place& place, Graph& into, int& subgraphs) {
  reader.each(run, place, [&](const WireField& field) {
    if (field.type != WireType::kLength) return;
    const auto inside = [&](const char* name, std::size_t index) {
      return Place{&place, name, static_cast<std::int64_t>(index)};
    };
    const auto add_value = [&](std::vector<Value>& list, const char* name) {
      const Place where = inside(name, list.size());
      if (Value* value = grown(reader, list, where)) read_value(reader, field.run, where, *value);
    };
    switch (field.number) {
      case 1: {
        const Place where = inside("node", into.nodes.size());
        if (Node* node = grown(reader, into.nodes, where))
          read_node(reader, field.run, where, *node, subgraphs);
        return;
      }
      case 2: into.name = reader.text(field.run); return;
      case 5: {
        const Place where = inside("initializer", into.initializers.size());
        if (Tensor* tensor = grown(reader, into.initializers, where))
          read_tensor(reader, field.run, where, *tensor);
        return;
      }
      case 15: {
        const Place where = inside("sparse_initializer", into.sparse_initializers.size());
        if (SparseTensor* tensor = grown(reader, into.sparse_initializers, where))
          read_sparse(reader, field.run, where, *tensor);
        return;
      }
      case 11: return add_value(into.inputs, "input");
      case 12: return add_value(into.outputs, "output");
      case 13: return add_value(into.values, "value_info");
      default: return;
    }
  });
}

Opset read_opset(WireReader& reader, Run run, const Place& place) {
  Opset opset;
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_message(1)) opset.domain = reader.text(field.run);
    if (field.is_number(2)) opset.version = static_cast<std::int64_t>(field.value);
  });
  return opset;
}

Entry read_entry(WireReader& reader, Run run, const Place& place) {
  Entry entry;
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_message(1)) entry.key = reader.text(field.run);
    if (field.is_message(2)) entry.value = reader.text(field.run);
  });
  return entry;
}

}  // namespace

Model read_model(WireReader& reader) {
  Model model;
  const Place root;
  reader.each(reader.whole(), root, [&](const WireField& field) {
    if (field.is_number(1)) model.ir_version = static_cast<std::int64_t>(field.value);
    if (field.type != WireType::kLength) return;
    switch (field.number) {
      case 2: model.producer_name = reader.text(field.run); return;
      case 3: model.producer_version = reader.text(field.run); return;
      case 6: model.description = reader.text(field.run); return;
      case 7:
        ++model.graphs;
        return read_graph(reader, field.run, {nullptr, "graph", -1}, model.graph, model.subgraphs);
      case 8: {
        const Place where{nullptr, "opset_import", static_cast<std::int64_t>(model.opsets.size())};
        if (Opset* opset = grown(reader, model.opsets, where))
          *opset = read_opset(reader, field.run, where);
        return;
      }
      case 14: {
        const Place where{nullptr, "metadata_props",
                          static_cast<std::int64_t>(model.metadata.size())};
        if (Entry* entry = grown(reader, model.metadata, where))
          *entry = read_entry(reader, field.run, where);
        return;
      }
      case 25: ++model.functions; return;
      default: return;
    }
  });
  return model;
}

}  // namespace edgeprobe::model::onnx
