// SPDX-License-Identifier: Apache-2.0
#include "model/replace.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "model/onnx/onnx.h"
#include "model/onnx/proto.h"
#include "model/onnx/splice.h"
#include "model/onnx/written.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

using onnx::Splice;

// Fields of a GraphProto.
constexpr std::uint32_t kNode = 1, kInitializer = 5, kInput = 11, kValueInfo = 13, kAnnotation = 14;

// From this version of the format on, an initializer need not be an input of the graph.
constexpr std::int64_t kInitializersAlone = 4;

Error strange() { return {ErrorKind::kUsage, "the graph and the file do not belong together"}; }

// What is removed from a file and what is added to it.
struct Exchange {
  std::vector<bool> gone;                      // Indexed by layer: true if removed.
  std::map<std::size_t, std::string> behind;   // By layer: its replacement, written after it.
  std::set<std::string, std::less<>> dropped;  // Names of removed tensors.
  std::string constants;
  std::string inputs;  // The constants as graph inputs, for old files.
};

Status check(const Graph& graph, const std::vector<Replacement>& replacements) {
  std::set<int> layers;
  std::set<std::string_view> taken;
  for (const ModelTensor& tensor : graph.tensors) taken.insert(tensor.spec.name);
  for (const Replacement& one : replacements) {
    if (one.layers.empty()) return Error{ErrorKind::kUsage, "there is no layer to replace"};
    for (const int layer : one.layers)
      if (layer < 0 || at(layer) >= graph.layers.size() || !layers.insert(layer).second)
        return Error{ErrorKind::kUsage, "layer " + std::to_string(layer) +
                                            " cannot be replaced: it does not exist, or "
                                            "is replaced already"};
    for (const Tensor& constant : one.constants)
      if (!taken.insert(constant.spec.name).second)
        return Error{ErrorKind::kUsage,
                     "the model has a tensor '" + sanitized(constant.spec.name, 60) + "' already"};
  }
  return {};
}

// Constants read only by replaced layers, and the outputs of these layers.
std::set<std::string, std::less<>> dropped_by(const Graph& graph, const Exchange& exchange,
                                              const std::vector<Replacement>& replacements) {
  std::set<std::string, std::less<>> dropped, needed;
  for (const Layer& layer : graph.layers)
    for (const auto* list : {&layer.inputs, &layer.implicit_inputs, &layer.outputs})
      for (const int tensor : *list)
        if (tensor >= 0)
          (exchange.gone[at(layer.index)] ? dropped : needed)
              .insert(graph.tensors[at(tensor)].spec.name);
  for (const int tensor : graph.outputs) needed.insert(graph.tensors[at(tensor)].spec.name);
  for (const int tensor : graph.inputs) needed.insert(graph.tensors[at(tensor)].spec.name);
  for (const Replacement& one : replacements)
    for (const NewLayer& layer : one.by)
      for (const auto* list : {&layer.inputs, &layer.outputs})
        needed.insert(list->begin(), list->end());
  for (const std::string& name : needed) dropped.erase(name);
  return dropped;
}

Result<Exchange> exchange_of(const Graph& graph, const std::vector<Replacement>& replacements) {
  Exchange exchange;
  exchange.gone.resize(graph.layers.size());
  for (const Replacement& one : replacements) {
    std::string nodes;
    for (const NewLayer& layer : one.by) {
      const std::string node = onnx::written_node(layer);
      if (node.empty())
        return Error{ErrorKind::kUnsupported, "an attribute of " + sanitized(layer.type, 60) +
                                                  " '" + sanitized(layer.name, 60) +
                                                  "' is neither a number nor text"};
      nodes += onnx::written_field(kNode, node);
    }
    for (const Tensor& constant : one.constants) {
      const std::string written = onnx::written_tensor(constant);
      if (written.empty())
        return Error{ErrorKind::kUnsupported, "'" + sanitized(constant.spec.name, 60) +
                                                  "' has a type that a constant cannot have"};
      exchange.constants += onnx::written_field(kInitializer, written);
      exchange.inputs += onnx::written_field(kInput, onnx::written_value_info(constant.spec));
    }
    for (const int layer : one.layers) exchange.gone[at(layer)] = true;
    exchange.behind[at(*std::max_element(one.layers.begin(), one.layers.end()))] = nodes;
  }
  exchange.dropped = dropped_by(graph, exchange, replacements);
  return exchange;
}

class Replacer {
 public:
  Replacer(const Graph& graph, ByteView file, Exchange exchange)
      : graph_(graph), reader_(file, "the model"), exchange_(std::move(exchange)) {}

  Result<Bytes> replace() {
    model_ = onnx::read_model(reader_);
    if (reader_.failed()) return reader_.error();
    Splice model(reader_.file());
    std::size_t from = 0;
    int graphs = 0;
    reader_.each(reader_.whole(), root_, [&](const WireField& field) {
      if (!field.is_message(7)) return;
      model.keep({from, field.at - from});
      from = field.run.at + field.run.size;
      model.add_message(7, graph(field.run, ++graphs == model_.graphs));
    });
    model.keep({from, reader_.file().size - from});
    if (reader_.failed()) return reader_.error();
    if (!fits_ || layer_ != graph_.layers.size()) return strange();
    if (model.size() > kMostBytes)
      return Error{ErrorKind::kUnsupported, "the changed model has " +
                                                std::to_string(model.size()) +
                                                " bytes, it would exceed the format's 2 GB"};
    return model.copy();
  }

 private:
  Splice graph(Run run, bool is_last) {
    Splice graph(reader_.file());
    std::size_t from = run.at;
    reader_.each(run, root_, [&](const WireField& field) {
      if (field.type != WireType::kLength) return;
      const auto instead = instead_of(field);
      if (!instead) return;
      graph.keep({from, field.at - from});
      graph.add(*instead);
      from = field.run.at + field.run.size;
    });
    graph.keep({from, run.at + run.size - from});
    if (is_last) graph.add(exchange_.constants);
    if (is_last && model_.ir_version < kInitializersAlone) graph.add(exchange_.inputs);
    return graph;
  }

  // Returns nothing for a field to keep.
  std::optional<std::string> instead_of(const WireField& field) {
    switch (field.number) {
      case kNode: return node();
      case kInitializer: return unless_kept(model_.graph.initializers[initializer_++].name);
      case kInput:
      case kValueInfo:
      case kAnnotation: return unless_kept(name_in(field.run));
      default: return std::nullopt;
    }
  }
  std::optional<std::string> node() {
    const onnx::Node& node = model_.graph.nodes[node_++];
    if (onnx::folded_constant(node)) return unless_kept(node.outputs[0]);
    fits_ = fits_ && layer_ < graph_.layers.size() && graph_.layers[layer_].name == node.name &&
            graph_.layers[layer_].type == onnx::qualified_type(node);
    if (!fits_) return std::nullopt;
    const std::size_t layer = layer_++;
    if (!exchange_.gone[layer]) return std::nullopt;
    return exchange_.behind[layer];
  }
  std::optional<std::string> unless_kept(std::string_view name) const {
    return exchange_.dropped.count(name) > 0 ? std::optional(std::string()) : std::nullopt;
  }
  std::string_view name_in(Run message) {
    std::string_view text;
    reader_.each(message, root_, [&](const WireField& field) {
      if (field.is_message(1)) text = reader_.text(field.run);
    });
    return text;
  }

  const Graph& graph_;
  WireReader reader_;
  Exchange exchange_;
  const Place root_;
  onnx::Model model_;
  std::size_t node_ = 0, initializer_ = 0, layer_ = 0;
  bool fits_ = true;
};

// True if inputs and outputs are unchanged and the layers are as intended.
bool is_replaced(const Graph& before, const Graph& after, const Exchange& exchange,
                 std::size_t added) {
  const auto names = [](const Graph& graph, const std::vector<int>& tensors) {
    std::vector<std::string> all;
    for (const int tensor : tensors) all.push_back(graph.tensors[at(tensor)].spec.name);
    return all;
  };
  const auto gone =
      static_cast<std::size_t>(std::count(exchange.gone.begin(), exchange.gone.end(), true));
  return after.opsets == before.opsets && after.metadata == before.metadata &&
         after.layers.size() == before.layers.size() - gone + added &&
         names(before, before.inputs) == names(after, after.inputs) &&
         names(before, before.outputs) == names(after, after.outputs);
}

}  // namespace

Result<Bytes> replaced_onnx(const Graph& graph, ByteView file,
                            const std::vector<Replacement>& replacements) {
  EP_CHECK(check(graph, replacements));
  EP_TRY(auto exchange, exchange_of(graph, replacements));
  auto bytes = Replacer(graph, file, exchange).replace();
  if (!bytes) return bytes;
  const auto again = parse_onnx(*bytes, "the changed model", graph.folder);
  if (!again) return Error{ErrorKind::kUsage, again.error().what};
  std::size_t added = 0;
  for (const Replacement& one : replacements) added += one.by.size();
  if (!is_replaced(graph, *again, exchange, added)) return strange();
  return bytes;
}

}  // namespace edgeprobe::model
