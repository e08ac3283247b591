// SPDX-License-Identifier: Apache-2.0
#include "core/index.h"
#include "model/onnx/onnx.h"

#include <algorithm>
#include <map>

#include "core/text.h"
#include "model/onnx/declaration.h"
#include "model/onnx/proto.h"
#include "model/onnx/splice.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

using onnx::Splice;

Error refuse(const std::string& what) { return {ErrorKind::kUsage, "a part of a model " + what}; }

Error strange() { return {ErrorKind::kUsage, "the graph and the file do not belong together"}; }

std::string name_of(const ModelTensor& tensor) { return in_quotes(tensor.spec.name, 60); }

// What a part needs: its layers, their tensors, and the origin of each tensor.
struct Needs {
  std::vector<bool> layers;   // Indexed by layer of the graph.
  std::vector<bool> tensors;  // By tensor: known inside the part.
  // By tensor: computed by its layers; its inputs; its outputs.
  std::vector<bool> made, fed, shown;
};

Result<Needs> needs_of(const Graph& graph, const Part& part) {
  const std::size_t count = graph.tensors.size();
  Needs needs{std::vector<bool>(graph.layers.size()), std::vector<bool>(count),
              std::vector<bool>(count), std::vector<bool>(count), std::vector<bool>(count)};
  for (const int layer : part.layers) {
    needs.layers[at(layer)] = true;
    for (const int output : graph.layers[at(layer)].outputs)
      if (output >= 0) needs.made[at(output)] = needs.tensors[at(output)] = true;
  }
  for (const int input : part.inputs) {
    const ModelTensor& tensor = graph.tensors[at(input)];
    if (tensor.is_constant) return refuse("has the constant " + name_of(tensor) + " as an input");
    if (needs.made[at(input)]) return refuse("makes its input " + name_of(tensor) + " itself");
    if (needs.fed[at(input)]) return refuse("has the input " + name_of(tensor) + " twice");
    needs.fed[at(input)] = needs.tensors[at(input)] = true;
  }
  const auto comes_from = [&](int tensor) {
    return graph.tensors[at(tensor)].is_constant || needs.made[at(tensor)] || needs.fed[at(tensor)];
  };
  for (const int layer : part.layers)
    for (const auto* list :
         {&graph.layers[at(layer)].inputs, &graph.layers[at(layer)].implicit_inputs})
      for (const int input : *list) {
        if (input < 0) continue;
        needs.tensors[at(input)] = true;
        if (!comes_from(input))
          return refuse("lacks the input " + name_of(graph.tensors[at(input)]) + ", which layer " +
                        std::to_string(layer) + " reads");
      }
  for (const int output : part.outputs) {
    const ModelTensor& tensor = graph.tensors[at(output)];
    if (!comes_from(output)) return refuse("does not make its output " + name_of(tensor));
    if (needs.shown[at(output)]) return refuse("has the output " + name_of(tensor) + " twice");
    needs.shown[at(output)] = needs.tensors[at(output)] = true;
  }
  return needs;
}

class OnnxCutter {
 public:
  OnnxCutter(const Graph& graph, ByteView file, const Part& part)
      : graph_(graph), part_(part), reader_(file, "the model") {}

  Result<Bytes> cut() {
    EP_TRY(needs_, needs_of(graph_, part_));
    model_ = onnx::read_model(reader_);
    if (reader_.failed()) return reader_.error();
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      index_.emplace(graph_.tensors[i].spec.name, static_cast<int>(i));
    keep_quantization();
    EP_TRY(nodes_, kept_nodes());
    find_declarations();
    EP_CHECK(check_types());
    const Splice model = cut_model();
    if (reader_.failed()) return reader_.error();
    if (model.size() > kMostBytes)
      return Error{ErrorKind::kUnsupported, "a part of the model has " +
                                                std::to_string(model.size()) +
                                                " bytes, it would exceed the format's 2 GB"};
    return model.copy();
  }

 private:
  // -1 for names unknown to the main graph.
  int tensor_of(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }
  bool is_needed(std::string_view name) const {
    const int tensor = tensor_of(name);
    return tensor >= 0 && needs_.tensors[at(tensor)];
  }

  template <class Take>
  void each_in_graph(Take&& take) {
    reader_.each(reader_.whole(), root_, [&](const WireField& field) {
      if (field.is_message(7)) reader_.each(field.run, place_, take);
    });
  }

  std::string_view text_in(Run message, std::uint32_t number) {
    std::string_view text;
    reader_.each(message, place_, [&](const WireField& field) {
      if (field.is_message(number)) text = reader_.text(field.run);
    });
    return text;
  }

  // The annotation of a kept tensor refers to constants by name: keep those too.
  void keep_quantization() {
    each_in_graph([&](const WireField& field) {
      if (!field.is_message(14) || !is_needed(text_in(field.run, 1))) return;
      reader_.each(field.run, place_, [&](const WireField& entry) {
        const int tensor = entry.is_message(2) ? tensor_of(text_in(entry.run, 2)) : -1;
        if (tensor >= 0 && graph_.tensors[at(tensor)].is_constant)
          needs_.tensors[at(tensor)] = true;
      });
    });
  }

  // By node of the file: those of the layers, and needed constants.
  Result<std::vector<bool>> kept_nodes() const {
    std::vector<bool> kept;
    std::size_t layer = 0;
    for (const onnx::Node& node : model_.graph.nodes) {
      if (onnx::folded_constant(node)) {
        kept.push_back(is_needed(node.outputs[0]));
        continue;
      }
      if (layer == graph_.layers.size() || graph_.layers[layer].name != node.name ||
          graph_.layers[layer].type != onnx::qualified_type(node))
        return strange();
      kept.push_back(needs_.layers[layer++]);
    }
    if (layer != graph_.layers.size()) return strange();
    return kept;
  }

  void find_declarations() {
    const auto find = [&](std::uint32_t number) {
      each_in_graph([&](const WireField& field) {
        const int tensor = field.is_message(number) ? tensor_of(text_in(field.run, 1)) : -1;
        if (tensor >= 0 && (needs_.fed[at(tensor)] || needs_.shown[at(tensor)]))
          declared_[tensor] = field.run;
      });
    };
    for (const std::uint32_t number : {13u, 12u, 11u}) find(number);  // The last one counts.
  }

  std::optional<Run> declared(int tensor) const {
    const auto found = declared_.find(tensor);
    return found == declared_.end() ? std::nullopt : std::optional(found->second);
  }

  Status check_types() {
    for (const int input : part_.inputs)
      if (!onnx::has_type(reader_, graph_.tensors[at(input)], declared(input)))
        return Error{ErrorKind::kUnsupported,
                     "the type of " + name_of(graph_.tensors[at(input)]) +
                         " is unknown, so it cannot be an input of a part"};
    return {};
  }

  Splice cut_model() {
    Splice model(reader_.file());
    std::size_t from = 0;
    int graphs = 0;
    reader_.each(reader_.whole(), root_, [&](const WireField& field) {
      const bool is_graph = field.is_message(7);
      const bool is_training = field.is_message(20);  // Training information describes the whole
                                                      // graph.
      if (!is_graph && !is_training) return;
      model.keep({from, field.at - from});
      from = field.run.at + field.run.size;
      if (is_graph) model.add_message(7, cut_graph(field.run, ++graphs == model_.graphs));
    });
    model.keep({from, reader_.file().size - from});
    return model;
  }

  // Cuts one of the messages that form the main graph; inputs and outputs go into the last.
  Splice cut_graph(Run run, bool is_last) {
    Splice graph(reader_.file());
    std::size_t from = run.at;
    reader_.each(run, place_, [&](const WireField& field) {
      if (field.type != WireType::kLength || stays(field)) return;
      graph.keep({from, field.at - from});
      from = field.run.at + field.run.size;
    });
    graph.keep({from, run.at + run.size - from});
    if (!is_last) return graph;
    const auto declare = [&](std::uint32_t number, int tensor) {
      graph.add(onnx::written_field(
          number, onnx::declaration(reader_, graph_.tensors[at(tensor)], declared(tensor))));
    };
    for (const int input : part_.inputs) declare(11, input);
    for (const Run& input : defaults_) graph.add(onnx::written_field(11, reader_.text(input)));
    for (const int output : part_.outputs) declare(12, output);
    return graph;
  }

  bool stays(const WireField& field) {
    switch (field.number) {
      case 1: return nodes_[node_++];
      case 5: return is_needed(model_.graph.initializers[initializer_++].name);
      case 15: return is_needed(model_.graph.sparse_initializers[sparse_++].values.name);
      case 11: {
        // An input with a default value is a constant that the caller may override.
        const int tensor = tensor_of(text_in(field.run, 1));
        if (tensor >= 0 && graph_.tensors[at(tensor)].is_constant && needs_.tensors[at(tensor)])
          defaults_.push_back(field.run);
        return false;
      }
      case 12: return false;
      case 13: {
        const int tensor = tensor_of(text_in(field.run, 1));
        return tensor < 0 ||
               (needs_.tensors[at(tensor)] && !needs_.fed[at(tensor)] && !needs_.shown[at(tensor)]);
      }
      case 14: return is_needed(text_in(field.run, 1));
      default: return true;
    }
  }

  const Graph& graph_;
  const Part& part_;
  WireReader reader_;
  const Place root_, place_{nullptr, "graph", -1};
  Needs needs_;
  onnx::Model model_;
  std::map<std::string_view, int> index_;
  std::map<int, Run> declared_;  // The file's declarations of the part's inputs and outputs.
  std::vector<bool> nodes_;
  std::vector<Run> defaults_;
  std::size_t node_ = 0, initializer_ = 0, sparse_ = 0;
};

bool is_typed(const ModelTensor& tensor) {
  return tensor.spec.dtype != DType::kOther || tensor.stored_type != "unknown";
}

// True if both descriptions of a tensor agree where both are known: facts derived from a removed
// layer are open in the part.
bool is_kept(const ModelTensor& before, const ModelTensor& after) {
  if (is_typed(before) && is_typed(after) &&
      (after.spec.dtype != before.spec.dtype || after.stored_type != before.stored_type))
    return false;
  if (after.is_constant != before.is_constant || after.is_sparse != before.is_sparse) return false;
  if (after.is_constant)
    return after.storage == before.storage && after.data_size == before.data_size &&
           after.external_file == before.external_file && after.spec.shape == before.spec.shape;
  if (!after.shape_known || !before.shape_known) return true;
  return std::equal(after.spec.shape.begin(), after.spec.shape.end(), before.spec.shape.begin(),
                    before.spec.shape.end(),
                    [](std::int64_t a, std::int64_t b) { return a < 0 || b < 0 || a == b; });
}

bool same_names(const Graph& before, const std::vector<int>& a, const Graph& after,
                const std::vector<int>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](int one, int other) {
    return one < 0 || other < 0
               ? one == other
               : before.tensors[at(one)].spec.name == after.tensors[at(other)].spec.name;
  });
}

bool is_cut(const Graph& before, const Graph& after, const Part& part) {
  if (after.opsets != before.opsets || after.metadata != before.metadata ||
      after.producer != before.producer || after.description != before.description ||
      after.layers.size() != part.layers.size() ||
      !same_names(before, part.inputs, after, after.inputs) ||
      !same_names(before, part.outputs, after, after.outputs))
    return false;
  std::map<std::string_view, const ModelTensor*> known;
  for (const ModelTensor& tensor : before.tensors) known[tensor.spec.name] = &tensor;
  for (const ModelTensor& tensor : after.tensors) {
    const auto found = known.find(tensor.spec.name);
    if (found == known.end() || !is_kept(*found->second, tensor)) return false;
  }
  for (const int input : after.inputs) {
    const ModelTensor &tensor = after.tensors[at(input)], &old = *known[tensor.spec.name];
    if (tensor.spec.dtype != old.spec.dtype || tensor.shape_known != old.shape_known ||
        tensor.spec.shape != old.spec.shape)
      return false;
  }
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    const Layer &old = before.layers[at(part.layers[i])], &layer = after.layers[i];
    auto reads = layer.implicit_inputs, read = old.implicit_inputs;
    const auto by_name = [](const Graph& graph) {
      return [&graph](int a, int b) {
        return graph.tensors[at(a)].spec.name < graph.tensors[at(b)].spec.name;
      };
    };
    std::sort(reads.begin(), reads.end(), by_name(after));
    std::sort(read.begin(), read.end(), by_name(before));
    if (layer.type != old.type || layer.name != old.name || layer.version != old.version ||
        !same_names(before, old.inputs, after, layer.inputs) ||
        !same_names(before, old.outputs, after, layer.outputs) ||
        !same_names(before, read, after, reads))
      return false;
  }
  return true;
}

}  // namespace

Result<Bytes> cut_onnx(const Graph& graph, ByteView file, const Part& part) {
  auto bytes = OnnxCutter(graph, file, part).cut();
  if (!bytes) return bytes;
  EP_TRY(const auto again, parse_onnx(*bytes, "a part of the model", graph.folder));
  if (!is_cut(graph, again, part)) return strange();
  return bytes;
}

}  // namespace edgeprobe::model
