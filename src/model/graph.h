// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/tensor.h"
#include "model/file_bytes.h"

namespace edgeprobe::model {

/// A tensor of the model file.
struct ModelTensor {
  TensorSpec spec;  ///< Shape as stored; -1 for dimensions that the signature leaves open.
  /// "string", "resource", "int2", …: the file's own type if dtype is kOther.
  std::string stored_type;
  bool is_variable = false;
  bool is_sparse = false;    ///< A constant stored without its zeros: constant() refuses it.
  bool is_constant = false;  ///< Its values are stored; see `storage` and `data_offset`.
  /// False: neither the file nor the operators determine its dimensions, and spec.shape is empty.
  bool shape_known = true;
  enum class Storage {
    kPlain,  ///< In the file, in the form returned by constant().
    /// In the file, as a list of variable-length numbers inside [data_offset, data_offset +
    /// data_size).
    kProtobuf,
    kExternal,  ///< In `external_file`, in the form returned by constant().
  };
  Storage storage = Storage::kPlain;
  std::size_t data_offset = 0;  ///< From the start of the file; valid if is_constant.
  std::size_t data_size = 0;
  std::string external_file;  ///< Relative to Graph::folder.
};

/// One operator, in execution order.
struct Layer {
  int index = 0;  ///< Position in the graph.
  /// "CONV_2D", "CUSTOM:<name>" for custom ops; "Conv", "com.microsoft:QLinearAdd" in ONNX.
  std::string type;
  std::string name;  ///< Name of an ONNX node; "" if the file has none.
  std::string custom_name;
  int version = 1;          ///< For ONNX, the version of its operator set.
  std::vector<int> inputs;  ///< Tensor indices; -1 for an absent optional input.
  std::vector<int> outputs;
  /// Tensors of the main graph that the bodies of an ONNX operator (If, Loop, Scan) read by name:
  /// ascending and unique. Bodies in a .tflite file only take operands.
  std::vector<int> implicit_inputs;
  std::optional<std::uint64_t> macs;  ///< Multiply-accumulates of one run; unset if unknown.
  /// The constant inputs that are weights or biases; in ONNX also constants that reach the layer
  /// through a DequantizeLinear.
  std::vector<int> weights;
  std::uint64_t parameters = 0;  ///< Elements of `weights`.
};

/// The main graph of a model file.
struct Graph {
  std::string format;  ///< "tflite", "onnx"; see model/format.h for a format's capabilities.
  std::string description;
  std::string producer;  ///< Program that wrote an ONNX file.
  /// Versions of the operator sets by domain ("ai.onnx" is the standard one); ONNX only.
  std::map<std::string, std::int64_t> opsets;
  /// Folder of external data; empty: cannot be read.
  std::filesystem::path folder;
  /// Hash of the file. With external data it is the hash of a list of its own hash and theirs, so
  /// that other weights make another model.
  std::string sha256;
  std::size_t file_size = 0;
  std::vector<ModelTensor> tensors;
  std::vector<Layer> layers;
  std::vector<int> inputs;  ///< Tensor indices.
  std::vector<int> outputs;
  int subgraph_count = 1;
  std::vector<std::string> signatures;
  /// Names and sizes of metadata buffers or properties.
  std::map<std::string, std::size_t> metadata;
  /// One sentence for each value that can be read but not trusted or used, e.g. a scale that is
  /// zero, negative or NaN: such values are passed on unchanged.
  std::vector<std::string> warnings;

  /// Sum over the layers of the main graph whose multiply-accumulates are known.
  std::uint64_t macs() const;
  /// Elements of all weights; a tensor shared by several layers counts once.
  std::uint64_t parameters() const;
};

/// Reads a model file from memory, in the format that its bytes indicate. Safe on any bytes: fails
/// with kCorrupt (naming the field and the offset), kUnsupported or kLimit. External data is read
/// only from `folder`, and not at all if `folder` is empty.
Result<Graph> read_model(ByteView file, std::string_view label,
                         const std::filesystem::path& folder);
/// Reads or maps the file, then calls read_model() with the file's folder; `file` receives it.
Result<Graph> load(const std::filesystem::path& path, FileBytes& file);

/// The values of a constant, quantised as stored. kUsage if the tensor is not a constant,
/// kUnsupported if its values are sparse or not numeric, kCorrupt if `file` is not the file of
/// `graph`. External data is read from Graph::folder, whose errors are returned.
Result<Tensor> constant(const Graph& graph, ByteView file, int tensor);

/// Tensors that can be captured: unique outputs of operators in execution order, without graph
/// inputs, variables, constants and non-numeric tensors (kOther, kInt4). Shapes, and tensors
/// computed only from constants and shapes, are left out unless they are outputs of the graph: they
/// do not depend on an input, and an engine may keep them where outputs are impossible. The same
/// holds for copies made by a late reshape: LiteRT 2.3 returns them unwritten. For an ONNX operator
/// written as DequantizeLinear, operator, QuantizeLinear, only the integers after it are included.
std::vector<int> capturable(const Graph& graph);

/// True for a RESHAPE of a .tflite whose shape is computed: it holds a copy of its input's values
/// in memory that the engine allocates at run time.
bool is_late_reshape(const Graph& graph, const Layer& layer);

/// By tensor: true if it is the same for every input of one shape, as are shapes and tensors
/// computed only from constants and shapes.
std::vector<bool> settled_tensors(const Graph& graph);

/// The layer whose result this tensor is: the one that computes it, or the previous one if that
/// only quantises a tensor with no other reader. Null for inputs and constants.
const Layer* layer_of(const Graph& graph, int tensor);
/// The stored integers from which a DequantizeLinear restores this tensor; else the tensor itself.
int stored_form(const Graph& graph, int tensor);

/// Splits `tensors` into consecutive groups whose values fit `budget_bytes` each, using the file's
/// shapes with open dimensions counted as 1; an unknown shape counts as the largest known tensor,
/// and at least a 16th of the budget. A tensor larger than the budget gets its own group. No group
/// has two tensors with the same name.
std::vector<std::vector<int>> capture_groups(const Graph& graph, const std::vector<int>& tensors,
                                             std::size_t budget_bytes);

/// A copy of the file with `tensors` as additional outputs, after the original ones and in this
/// order (existing outputs are not repeated). Append-only: weights are never rewritten; in a
/// .tflite signatures are dropped, so that the engine addresses outputs by position. The copy is
/// read back and compared before it is returned. kUsage for a tensor that is not capturable,
/// kUnsupported if the file has no list of outputs or would exceed 2 GB, the limit of its format.
Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors);

/// The tensor of each output of the promoted copy, by position: the outputs of `graph`, then those
/// of `tensors` that are not among them, without duplicates.
std::vector<int> promoted_outputs(const Graph& graph, const std::vector<int>& tensors);

}  // namespace edgeprobe::model
