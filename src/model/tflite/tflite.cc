// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/tflite.h"

#include "core/file.h"
#include "core/text.h"
#include "model/foreign.h"
#include "model/tflite/op_names.h"
#include "model/tflite/schema.h"
#include "model/tflite/tensor.h"
#include "model/tflite/work.h"

namespace edgeprobe::model {
namespace {

struct OpCode {
  int code = 0;
  int version = 1;
  std::string custom_name;
};

// A subgraph as stored in the file.
struct Subgraph {
  std::vector<ModelTensor> tensors;
  std::vector<Layer> layers;
  std::vector<int> inputs, outputs;
  std::size_t outputs_slot = 0;
};

class Parser {
 public:
  Parser(ByteView file, std::string_view label) : reader_(file, label) {}

  Result<TfliteFile> parse() {
    const Table model = reader_.root();
    check_version(model);
    read_op_codes(model);
    buffers_ = read_buffers(reader_, model);
    read_subgraphs(model);
    read_signatures(model);
    read_metadata(model);
    result_.graph.description = reader_.string(model, schema::model::kDescription);
    if (reader_.failed()) return reader_.error();
    result_.graph.format = "tflite";
    result_.graph.file_size = reader_.file().size;
    result_.root = model.at;
    result_.vtable = model.vtable;
    result_.vtable_size = model.vtable_size;
    return std::move(result_);
  }

 private:
  void check_version(const Table& model) {
    const auto version = reader_.scalar<std::uint32_t>(model, schema::model::kVersion, 0);
    if (version != 3)
      reader_.fail(ErrorKind::kUnsupported, {&model.place, "version"}, model.at,
                   "is " + std::to_string(version) + ", this reader knows version 3 of the schema");
  }

  void read_op_codes(const Table& model) {
    const Vector codes = reader_.vector(model, schema::model::kOperatorCodes, 4);
    for (std::size_t i = 0; i < codes.count && !reader_.failed(); ++i) {
      const Table table = reader_.table_at(codes, i);
      reader_.charge(sizeof(OpCode), table.place);
      // Codes below 127 are in the first field, where newer ones have the placeholder 127.
      const int old_code =
          reader_.scalar<std::int8_t>(table, schema::operator_code::kDeprecatedBuiltinCode, 0);
      const int new_code =
          reader_.scalar<std::int32_t>(table, schema::operator_code::kBuiltinCode, 0);
      OpCode code{std::max(old_code, new_code),
                  reader_.scalar<std::int32_t>(table, schema::operator_code::kVersion, 1),
                  reader_.string(table, schema::operator_code::kCustomCode)};
      if (code.code < 0)
        reader_.fail(ErrorKind::kCorrupt, table.place, table.at,
                     "has the operator code " + std::to_string(code.code) + ", expected 0 or more");
      codes_.push_back(std::move(code));
    }
  }

  void read_subgraphs(const Table& model) {
    const Vector subgraphs = reader_.vector(model, schema::model::kSubgraphs, 4);
    if (subgraphs.count == 0)
      reader_.fail(ErrorKind::kCorrupt, {&model.place, "subgraphs"}, model.at,
                   "is empty, expected a main graph");
    for (std::size_t i = 0; i < subgraphs.count && !reader_.failed(); ++i) {
      const Table table = reader_.table_at(subgraphs, i);
      Subgraph subgraph = read_subgraph(table);
      if (i != 0 || reader_.failed()) continue;
      Graph& graph = result_.graph;
      graph.tensors = std::move(subgraph.tensors);
      graph.layers = std::move(subgraph.layers);
      graph.inputs = std::move(subgraph.inputs);
      graph.outputs = std::move(subgraph.outputs);
      graph.subgraph_count = static_cast<int>(subgraphs.count);
      result_.outputs_slot = subgraph.outputs_slot;
    }
  }

  Subgraph read_subgraph(const Table& table) {
    Subgraph subgraph;
    const Vector tensors = reader_.vector(table, schema::subgraph::kTensors, 4);
    for (std::size_t i = 0; i < tensors.count && !reader_.failed(); ++i) {
      const Table tensor = reader_.table_at(tensors, i);
      subgraph.tensors.push_back(read_tensor(reader_, tensor, buffers_, result_.graph.warnings));
    }
    subgraph.inputs = read_indices(table, schema::subgraph::kInputs, subgraph.tensors.size(), 0);
    subgraph.outputs = read_indices(table, schema::subgraph::kOutputs, subgraph.tensors.size(), 0);
    subgraph.outputs_slot = reader_.slot(table, schema::subgraph::kOutputs, 4);
    const Vector operators = reader_.vector(table, schema::subgraph::kOperators, 4);
    for (std::size_t i = 0; i < operators.count && !reader_.failed(); ++i) {
      const Table op = reader_.table_at(operators, i);
      Layer layer = read_layer(op, subgraph.tensors);
      layer.index = static_cast<int>(i);
      subgraph.layers.push_back(std::move(layer));
    }
    return subgraph;
  }

  // Tensor indices, each from `least` (-1 if a tensor may be absent) to below `count`.
  std::vector<int> read_indices(const Table& table, Field field, std::size_t count, int least) {
    const std::vector<std::int32_t> indices = reader_.numbers<std::int32_t>(table, field);
    const auto end = static_cast<std::int64_t>(count);
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] < least || indices[i] >= end) {
        reader_.fail(ErrorKind::kCorrupt, {&table.place, field.name, static_cast<std::int64_t>(i)},
                     table.at,
                     "is tensor " + std::to_string(indices[i]) + ", expected " +
                         std::to_string(least) + " to " + std::to_string(end - 1));
        return {};
      }
    return {indices.begin(), indices.end()};
  }

  Layer read_layer(const Table& op, const std::vector<ModelTensor>& tensors) {
    Layer layer;
    const auto opcode = reader_.scalar<std::uint32_t>(op, schema::op::kOpcodeIndex, 0);
    layer.inputs = read_indices(op, schema::op::kInputs, tensors.size(), -1);
    layer.outputs = read_indices(op, schema::op::kOutputs, tensors.size(), -1);
    if (!reader_.failed() && opcode >= codes_.size())
      reader_.fail(ErrorKind::kCorrupt, {&op.place, "opcode_index"}, op.at,
                   "is " + std::to_string(opcode) + ", the file has " +
                       std::to_string(codes_.size()) + " operator codes");
    if (reader_.failed()) return layer;
    const OpCode& code = codes_[opcode];
    if (!reader_.charge(sizeof(Layer) + 2 * code.custom_name.size(), op.place)) return layer;
    layer.version = code.version;
    if (code.code == kCustomOp) layer.custom_name = code.custom_name;
    layer.type = code.code == kCustomOp ? "CUSTOM:" + code.custom_name : builtin_name(code.code);
    layer.macs = multiply_accumulates(layer, tensors, read_options(op, layer.type));
    layer.weights = weights_of(layer, tensors);
    for (const int weight : layer.weights)
      layer.parameters +=
          element_count(tensors[static_cast<std::size_t>(weight)].spec.shape).value_or(0);
    return layer;
  }

  OpOptions read_options(const Table& op, const std::string& type) {
    constexpr int kBatchMatMulOptions = 101;
    OpOptions options;
    if (type != "BATCH_MATMUL" ||
        reader_.scalar<std::uint8_t>(op, schema::op::kBuiltinOptionsType, 0) != kBatchMatMulOptions)
      return options;
    const Table table = reader_.table(op, schema::op::kBuiltinOptions);
    options.adjoint_x =
        reader_.scalar<std::uint8_t>(table, schema::batch_matmul_options::kAdjointX, 0) != 0;
    return options;
  }

  void read_signatures(const Table& model) {
    const Vector signatures = reader_.vector(model, schema::model::kSignatureDefs, 4);
    for (std::size_t i = 0; i < signatures.count && !reader_.failed(); ++i) {
      const Table signature = reader_.table_at(signatures, i);
      reader_.charge(sizeof(std::string), signature.place);
      result_.graph.signatures.push_back(
          reader_.string(signature, schema::signature_def::kSignatureKey));
    }
  }

  void read_metadata(const Table& model) {
    const Vector entries = reader_.vector(model, schema::model::kMetadata, 4);
    for (std::size_t i = 0; i < entries.count && !reader_.failed(); ++i) {
      const Table entry = reader_.table_at(entries, i);
      reader_.charge(sizeof(std::string) + 64, entry.place);  // 64: a node of the map.
      const auto buffer = reader_.scalar<std::uint32_t>(entry, schema::metadata::kBuffer, 0);
      if (!reader_.failed() && buffer >= buffers_.size()) {
        reader_.fail(ErrorKind::kCorrupt, {&entry.place, "buffer"}, entry.at,
                     "is " + std::to_string(buffer) + ", the file has " +
                         std::to_string(buffers_.size()) + " buffers");
        return;
      }
      std::string key = reader_.string(entry, schema::metadata::kName);
      if (!reader_.failed()) result_.graph.metadata[std::move(key)] = buffers_[buffer].size;
    }
  }

  FlatReader reader_;
  std::vector<OpCode> codes_;
  std::vector<BufferRange> buffers_;
  TfliteFile result_;
};

}  // namespace

Result<TfliteFile> parse_tflite(ByteView file, std::string_view label) {
  if (auto format = format_of(file, label); !format) return std::move(format).error();
  else if (*format != Format::kTflite)
    return Error{ErrorKind::kUnsupported,
                 sanitized(label) + " is an ONNX model where a .tflite model was expected"};
  return Parser(file, label).parse();
}

Result<Graph> read_tflite(ByteView file, std::string_view label) {
  EP_TRY(auto parsed, parse_tflite(file, label));
  parsed.graph.sha256 = sha256(file);
  return std::move(parsed.graph);
}

}  // namespace edgeprobe::model
