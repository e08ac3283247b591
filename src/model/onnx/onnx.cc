// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/onnx.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "model/foreign.h"
#include "model/onnx/external.h"
#include "model/onnx/infer.h"
#include "model/onnx/proto.h"
#include "model/onnx/quantization.h"
#include "model/onnx/tensor.h"
#include "model/onnx/work.h"

namespace edgeprobe::model {
namespace {

constexpr const char* kUnknown = "unknown";
constexpr std::string_view kStandard = "ai.onnx";

class OnnxBuilder {
 public:
  OnnxBuilder(ByteView file, std::string_view label, const std::filesystem::path& folder)
      : reader_(file, label), files_(folder) {}

  Result<Graph> build() {
    model_ = onnx::read_model(reader_);
    if (!reader_.failed() && model_.graphs == 0)
      reader_.fail(ErrorKind::kCorrupt, {nullptr, "graph", -1}, 0, "is missing");
    graph_.format = "onnx";
    graph_.file_size = reader_.file().size;
    graph_.folder = files_.folder();
    read_head();
    add_inputs();
    add_initializers();
    add_nodes();
    connect_nodes();
    read_outputs();
    declare_all();
    infer_all();
    if (!reader_.failed()) onnx::read_quantization(reader_, nodes_, graph_);
    count_work();
    add_warnings();
    if (reader_.failed()) return reader_.error();
    return std::move(graph_);
  }

 private:
  void read_head() {
    graph_.description = model_.description;
    graph_.producer = model_.producer_name;
    if (!model_.producer_version.empty())
      graph_.producer += " " + std::string(model_.producer_version);
    graph_.subgraph_count = 1 + model_.subgraphs;
    for (const onnx::Opset& opset : model_.opsets)
      if (reader_.charge(64 + 2 * opset.domain.size(), {nullptr, "opset_import", -1}))
        graph_.opsets[domain_of(opset.domain)] = opset.version;
    if (model_.opsets.empty() && model_.ir_version < 3) graph_.opsets[std::string(kStandard)] = 1;
    for (const onnx::Entry& entry : model_.metadata)
      if (reader_.charge(64 + 2 * entry.key.size(), {nullptr, "metadata_props", -1}))
        graph_.metadata[std::string(entry.key)] = entry.value.size();
  }

  static std::string domain_of(std::string_view domain) {
    return std::string(domain.empty() ? kStandard : domain);
  }

  // The index of a new tensor; -1, with a failure, if the name is taken.
  int add(ModelTensor tensor, std::string_view name, const Place& place, std::size_t at) {
    const int index = static_cast<int>(graph_.tensors.size());
    if (!reader_.charge(sizeof(ModelTensor) + sizeof(onnx::Fact) + 64 + name.size(), place))
      return -1;
    if (!index_.emplace(name, index).second) {
      reader_.fail(
          ErrorKind::kCorrupt, place, at,
          "makes '" + sanitized(name, 60) + "', which another part of the graph makes already");
      return -1;
    }
    tensor.spec.name = name;
    graph_.tensors.push_back(std::move(tensor));
    return index;
  }

  static ModelTensor open_tensor() {
    ModelTensor tensor;
    tensor.spec.dtype = DType::kOther;
    tensor.stored_type = kUnknown;
    tensor.shape_known = false;
    return tensor;
  }

  // Inputs with a value are constants; before version 4 of the format, files list all constants
  // this way.
  void add_inputs() {
    std::map<std::string_view, bool> initialized;
    for (const onnx::Tensor& tensor : model_.graph.initializers)
      if (reader_.charge(64, {nullptr, "graph", -1})) initialized[tensor.name] = true;
    for (const onnx::SparseTensor& tensor : model_.graph.sparse_initializers)
      if (reader_.charge(64, {nullptr, "graph", -1})) initialized[tensor.values.name] = true;
    for (std::size_t i = 0; i < model_.graph.inputs.size() && !reader_.failed(); ++i) {
      const onnx::Value& value = model_.graph.inputs[i];
      if (initialized.count(value.name)) continue;
      const int index =
          add(open_tensor(), value.name, {nullptr, "graph.input", static_cast<std::int64_t>(i)}, 0);
      if (index >= 0) graph_.inputs.push_back(index);
    }
  }

  void add_initializers() {
    for (std::size_t i = 0; i < model_.graph.initializers.size() && !reader_.failed(); ++i) {
      const onnx::Tensor& tensor = model_.graph.initializers[i];
      const Place place{nullptr, "graph.initializer", static_cast<std::int64_t>(i)};
      ModelTensor made = onnx::constant_tensor(reader_, tensor, place, files_);
      if (!reader_.failed()) add(std::move(made), tensor.name, place, tensor.at);
    }
    for (std::size_t i = 0; i < model_.graph.sparse_initializers.size() && !reader_.failed(); ++i)
      add_sparse(model_.graph.sparse_initializers[i],
                 {nullptr, "graph.sparse_initializer", static_cast<std::int64_t>(i)});
  }

  void add_sparse(const onnx::SparseTensor& sparse, const Place& place) {
    ModelTensor made = onnx::constant_tensor(reader_, sparse.values, place, files_);
    made.is_sparse = true;
    if (sparse.dims.size() > onnx::kMostFactDimensions || !element_count(sparse.dims))
      reader_.fail(ErrorKind::kCorrupt, place, sparse.values.at,
                   "has the shape " + to_text(sparse.dims) +
                       ", expected at most 32 dimensions of 0 or more");
    if (reader_.failed()) return;
    made.spec.shape = sparse.dims;
    add(std::move(made), sparse.values.name, place, sparse.values.at);
  }

  // Adds layers and their output tensors; a Constant with a plain tensor becomes only that tensor.
  void add_nodes() {
    for (std::size_t i = 0; i < model_.graph.nodes.size() && !reader_.failed(); ++i) {
      const onnx::Node& node = model_.graph.nodes[i];
      const Place place{nullptr, "graph.node", static_cast<std::int64_t>(i)};
      if (node.type.empty())
        return reader_.fail(ErrorKind::kCorrupt, place, node.at, "names no operator");
      const std::string domain = domain_of(node.domain);
      if (const onnx::Tensor* const value = onnx::folded_constant(node)) {
        ModelTensor made = onnx::constant_tensor(reader_, *value, place, files_);
        if (!reader_.failed()) add(std::move(made), node.outputs[0], place, node.at);
        continue;
      }
      if (!reader_.charge(
              sizeof(Layer) + domain.size() + node.type.size() + node.name.size() +
                  (node.inputs.size() + node.outputs.size() + node.outer.size()) * sizeof(int),
              place))
        return;
      Layer layer;
      layer.index = static_cast<int>(graph_.layers.size());
      layer.type = onnx::qualified_type(node);
      layer.name = node.name;
      const auto opset = graph_.opsets.find(domain);
      if (opset != graph_.opsets.end())
        layer.version = static_cast<int>(std::clamp<std::int64_t>(opset->second, 0, 1 << 20));
      for (const std::string_view output : node.outputs)
        layer.outputs.push_back(output.empty() ? -1 : add(open_tensor(), output, place, node.at));
      graph_.layers.push_back(std::move(layer));
      nodes_.push_back(&node);
    }
  }

  void connect_nodes() {
    std::vector<bool> made(graph_.tensors.size(), true);
    for (const Layer& layer : graph_.layers)
      for (const int output : layer.outputs)
        if (output >= 0) made[static_cast<std::size_t>(output)] = false;
    for (Layer& layer : graph_.layers) {
      if (reader_.failed()) return;
      const onnx::Node& node = *nodes_[static_cast<std::size_t>(layer.index)];
      for (const std::string_view input : node.inputs) {
        const auto found = index_.find(input);
        if (!input.empty() && found == index_.end())
          return reader_.fail(ErrorKind::kCorrupt, {nullptr, "graph.node", -1}, node.at,
                              "(" + sanitized(layer.type, 60) + " '" + sanitized(node.name, 60) +
                                  "') takes '" + sanitized(input, 60) +
                                  "', which no part of the graph makes");
        layer.inputs.push_back(input.empty() ? -1 : found->second);
        if (!input.empty() && !made[static_cast<std::size_t>(found->second)]) unordered_ = true;
      }
      // A name that nothing computes is left for the engine to refuse: it may belong to a function
      // or to a body's own input.
      for (const std::string_view name : node.outer)
        if (const auto found = index_.find(name); found != index_.end())
          layer.implicit_inputs.push_back(found->second);
      std::sort(layer.implicit_inputs.begin(), layer.implicit_inputs.end());
      for (const int output : layer.outputs)
        if (output >= 0) made[static_cast<std::size_t>(output)] = true;
    }
  }

  void read_outputs() {
    for (std::size_t i = 0; i < model_.graph.outputs.size() && !reader_.failed(); ++i) {
      const onnx::Value& value = model_.graph.outputs[i];
      const auto found = index_.find(value.name);
      if (found == index_.end())
        return reader_.fail(
            ErrorKind::kCorrupt, {nullptr, "graph.output", static_cast<std::int64_t>(i)}, 0,
            "is '" + sanitized(value.name, 60) + "', which no part of the graph makes");
      graph_.outputs.push_back(found->second);
    }
  }

  void declare_all() {
    const auto declare = [&](const std::vector<onnx::Value>& values, const char* field) {
      for (std::size_t i = 0; i < values.size() && !reader_.failed(); ++i) {
        const auto found = index_.find(values[i].name);
        if (found == index_.end()) continue;
        ModelTensor& tensor = graph_.tensors[static_cast<std::size_t>(found->second)];
        if (!tensor.is_constant)
          onnx::declare(reader_, values[i].type, {nullptr, field, static_cast<std::int64_t>(i)},
                        tensor);
      }
    };
    declare(model_.graph.values, "graph.value_info");
    declare(model_.graph.inputs, "graph.input");
    declare(model_.graph.outputs, "graph.output");
  }

  // Known facts about a tensor before any operator is processed.
  onnx::Fact fact_of(std::size_t index) {
    const ModelTensor& tensor = graph_.tensors[index];
    onnx::Fact fact;
    fact.typed = tensor.stored_type != kUnknown;
    fact.dtype = tensor.spec.dtype;
    fact.stored_type = tensor.stored_type;
    fact.ranked = tensor.shape_known;
    fact.shape = tensor.spec.shape;
    const DType dtype = tensor.spec.dtype;
    const bool is_list =
        tensor.is_constant && !tensor.is_sparse && tensor.spec.shape.size() < 2 &&
        element_count(tensor.spec.shape).value_or(onnx::kMostValues + 1) <= onnx::kMostValues;
    if (!is_list || (dtype != DType::kInt64 && dtype != DType::kInt32 && dtype != DType::kFloat32))
      return fact;
    const auto values = constant(graph_, reader_.file(), static_cast<int>(index));
    if (!values || !reader_.charge(2 * values->bytes.size(), {nullptr, "graph", -1})) return fact;
    if (dtype == DType::kFloat32) {
      if (const auto reals = stored_as_float(*values)) fact.reals = *reals;
    } else {
      fact.integers.emplace();
      const std::size_t each = size_of(dtype);
      for (std::size_t at = 0; at + each <= values->bytes.size(); at += each)
        fact.integers->push_back(integer_at(values->bytes.data() + at, each));
    }
    return fact;
  }

  static std::int64_t integer_at(const std::byte* from, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))
                     : static_cast<std::int64_t>(bits);
  }

  void infer_all() {
    if (reader_.failed()) return;
    std::vector<onnx::Fact> facts;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (!reader_.charge(graph_.tensors[i].spec.shape.size() * sizeof(std::int64_t),
                          {nullptr, "graph", -1}))
        return;
      facts.push_back(fact_of(i));
    }
    for (const Layer& layer : graph_.layers) {
      if (!reader_.charge(layer.inputs.size() * sizeof(void*) +
                              layer.outputs.size() * (sizeof(onnx::Fact) + 256),
                          {nullptr, "graph.node", -1}))
        return;
      onnx::Facts known{
          *nodes_[static_cast<std::size_t>(layer.index)], {}, layer.version, layer.outputs.size()};
      for (const int input : layer.inputs)
        known.inputs.push_back(input < 0 ? nullptr : &facts[static_cast<std::size_t>(input)]);
      std::vector<onnx::Fact> made = onnx::infer(known);
      for (std::size_t i = 0; i < made.size(); ++i)
        if (layer.outputs[i] >= 0) settle(layer.outputs[i], std::move(made[i]), facts);
    }
  }

  // Keeps facts from the file and adds inferred ones for what it leaves open.
  void settle(int index, onnx::Fact made, std::vector<onnx::Fact>& facts) {
    ModelTensor& tensor = graph_.tensors[static_cast<std::size_t>(index)];
    onnx::Fact& fact = facts[static_cast<std::size_t>(index)];
    if (!fact.typed && made.typed) {
      tensor.spec.dtype = made.dtype;
      tensor.stored_type = made.stored_type;
    }
    if (!tensor.shape_known && made.ranked) {
      tensor.spec.shape = made.shape;
      tensor.shape_known = true;
    } else if (made.ranked && made.shape.size() == tensor.spec.shape.size()) {
      for (std::size_t i = 0; i < made.shape.size(); ++i)
        if (tensor.spec.shape[i] < 0) tensor.spec.shape[i] = made.shape[i];
    }
    fact.typed = tensor.stored_type != kUnknown;
    fact.dtype = tensor.spec.dtype;
    fact.stored_type = tensor.stored_type;
    fact.ranked = tensor.shape_known;
    fact.shape = tensor.spec.shape;
    const bool whole = fact.dtype == DType::kInt64 || fact.dtype == DType::kInt32;
    if (whole && made.integers) fact.integers = std::move(made.integers);
  }

  void count_work() {
    if (reader_.failed()) return;
    for (Layer& layer : graph_.layers)
      layer.macs = onnx::multiply_accumulates(layer, *nodes_[static_cast<std::size_t>(layer.index)],
                                              graph_.tensors);
    onnx::find_weights(graph_.layers, graph_.tensors);
  }

  void add_warnings() {
    std::size_t unknown = 0;
    std::string first;
    for (const Layer& layer : graph_.layers)
      for (const int output : layer.outputs)
        if (output >= 0 &&
            graph_.tensors[static_cast<std::size_t>(output)].stored_type == kUnknown &&
            ++unknown == 1)
          first = sanitized(layer.type, 60);
    if (unknown)
      graph_.warnings.push_back(
          "the types of " + std::to_string(unknown) +
          " tensors are neither in the file nor known from their operators (the first is made by " +
          first +
          "): they are captured only if an engine reports them; `onnx.shape_inference` may add "
          "them to the file");
    if (unordered_)
      graph_.warnings.push_back(
          "nodes come before others that compute their inputs: the types that follow are unknown");
    if (model_.functions)
      graph_.warnings.push_back("the model defines " + std::to_string(model_.functions) +
                                " functions of its own; their contents are not shown");
  }

  WireReader reader_;
  onnx::ExternalFiles files_;
  onnx::Model model_;
  Graph graph_;
  std::vector<const onnx::Node*> nodes_;  // Indexed by layer.
  std::map<std::string_view, int> index_;
  bool unordered_ = false;
};

}  // namespace

Result<Graph> parse_onnx(ByteView file, std::string_view label,
                         const std::filesystem::path& folder) {
  if (auto format = format_of(file, label); !format) return std::move(format).error();
  else if (*format != Format::kOnnx)
    return Error{ErrorKind::kUnsupported,
                 sanitized(label) + " is a .tflite model where an .onnx model was expected"};
  return OnnxBuilder(file, label, folder).build();
}

Result<Graph> read_onnx(ByteView file, std::string_view label,
                        const std::filesystem::path& folder) {
  auto graph = parse_onnx(file, label, folder);
  if (!graph) return graph;
  graph->sha256 = sha256(file);
  std::set<std::string> outside;
  for (const ModelTensor& tensor : graph->tensors)
    if (tensor.storage == ModelTensor::Storage::kExternal) outside.insert(tensor.external_file);
  if (outside.empty() || folder.empty()) return graph;
  // The same file with other external weights is another model.
  std::string all = graph->sha256 + "\n";
  for (const std::string& name : outside) {
    EP_TRY(const auto hash, onnx::external_sha256(folder, name));
    all += hash + " " + name + "\n";
  }
  graph->sha256 = sha256(view_of(all));
  return graph;
}

}  // namespace edgeprobe::model
