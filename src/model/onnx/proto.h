// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "model/onnx/wire.h"

/// The messages of an ONNX file as stored, without interpretation. Texts point into the file.
namespace edgeprobe::model::onnx {

/// TypeProto.
struct Type {
  enum class Kind { kNone, kTensor, kSequence, kMap, kOptional, kSparse, kOpaque };
  Kind kind = Kind::kNone;
  int element = 0;         ///< TensorProto.DataType.
  bool has_shape = false;  ///< False: even the number of dimensions is open.
  Shape shape;             ///< -1 for a name or no value.
};

/// ValueInfoProto.
struct Value {
  std::string_view name;
  Type type;
};

/// TensorProto.
struct Tensor {
  std::string_view name;
  std::vector<std::int64_t> dims;
  int type = 0;
  std::size_t at = 0;  ///< Offset of its message.
  Run message;
  int parts = 0;              ///< Number of messages that it was merged from.
  std::optional<Run> raw;     ///< raw_data.
  std::optional<Run> packed;  ///< float_data or double_data stored contiguously.
  int pieces = 0;             ///< Pieces of float_data and double_data.
  std::size_t values = 0;     ///< Entries of all typed fields together.
  bool is_external = false;
  bool is_segment = false;
  std::string_view location, offset, length;  ///< For external data.
};

/// AttributeProto.
struct Attribute {
  std::string_view name;
  std::optional<std::int64_t> integer;
  std::optional<float> real;
  std::string_view text;
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  std::vector<std::string_view> texts;
  int type = 0;  ///< AttributeProto.AttributeType; 0 if omitted, as by old writers.
  std::optional<Tensor> tensor;
  bool is_sparse = false;
  bool has_graph = false;
};

/// NodeProto.
struct Node {
  std::string_view name, type, domain;
  std::vector<std::string_view> inputs, outputs;  ///< "" for an absent one.
  std::vector<Attribute> attributes;
  /// Names that its bodies read but do not define, without duplicates.
  std::vector<std::string_view> outer;
  std::size_t at = 0;

  const Attribute* attribute(std::string_view wanted) const;
  std::int64_t integer(std::string_view wanted, std::int64_t absent) const;
  std::string_view text(std::string_view wanted) const;
  /// The list of integers; nothing if absent.
  const std::vector<std::int64_t>* integers(std::string_view wanted) const;
};

/// "Conv", "com.microsoft:QLinearAdd": the operator as in Layer::type.
std::string qualified_type(const Node& node);

/// The tensor of a Constant that is read as a constant instead of a layer; null for other nodes.
const Tensor* folded_constant(const Node& node);

/// SparseTensorProto.
struct SparseTensor {
  Tensor values;
  std::vector<std::int64_t> dims;
};

/// GraphProto.
struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<SparseTensor> sparse_initializers;
  std::vector<Value> inputs, outputs, values;
};

struct Opset {
  std::string_view domain;
  std::int64_t version = 0;
};

struct Entry {
  std::string_view key, value;
};

/// ModelProto.
struct Model {
  std::int64_t ir_version = 0;
  std::string_view producer_name, producer_version, description;
  std::vector<Opset> opsets;
  std::vector<Entry> metadata;
  Graph graph;
  int graphs = 0;     ///< Messages from which the main graph was merged; 0: there is none.
  int subgraphs = 0;  ///< Bodies in attributes, at any depth.
  int functions = 0;  ///< Functions defined by the model itself.
};

/// The message of one tensor, e.g. to decode its values.
Tensor read_tensor(WireReader& reader, Run run, const Place& place);

/// Reads the whole file. Failures stay in `reader`.
Model read_model(WireReader& reader);

void read_tensor(WireReader& reader, Run run, const Place& place, Tensor& into);
void read_sparse(WireReader& reader, Run run, const Place& place, SparseTensor& into);
void read_value(WireReader& reader, Run run, const Place& place, Value& into);
void read_node(WireReader& reader, Run run, const Place& place, Node& into, int& subgraphs);
/// Reads a body (attribute `g`), given as the runs of its message: counts it and nested ones, and
/// adds the names that it reads from enclosing graphs to `outer`, unordered and possibly repeated.
/// kLimit beyond 32 nested bodies.
void read_body(WireReader& reader, const std::vector<Run>& parts, const Place& place, int depth,
               int& count, std::vector<std::string_view>& outer);
/// Appends the numbers of a repeated field.
void add_number(WireReader& reader, const WireField& field, const Place& place,
                std::vector<std::int64_t>& into);

}  // namespace edgeprobe::model::onnx
