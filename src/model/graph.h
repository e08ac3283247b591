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
  TensorSpec spec;  ///< Shape as stored; -1 where the signature leaves it open.
  /// "string", "resource", "int2", …: the file's own type when dtype is kOther.
  std::string stored_type;
  bool is_variable = false;
  bool is_sparse = false;    ///< A constant stored without its zeros: constant() refuses it.
  bool is_constant = false;  ///< Its values are stored; `storage` and `data` say where.
  /// False: neither the file nor the operators tell its dimensions, spec.shape is empty.
  bool shape_known = true;
  enum class Storage {
    kPlain,  ///< In the file, as constant() returns them.
    /// In the file, as a list of numbers of varying length inside [data_offset, data_offset +
    /// data_size).
    kProtobuf,
    kExternal,  ///< In `external_file`, as constant() returns them.
  };
  Storage storage = Storage::kPlain;
  std::size_t data_offset = 0;  ///< From the start of the file; meaningful when is_constant.
  std::size_t data_size = 0;
  std::string external_file;  ///< Relative to Graph::folder.
};

/// One operator, in execution order.
struct Layer {
  int index = 0;  ///< Position in the graph.
  /// "CONV_2D", "CUSTOM:<name>" for custom ops; "Conv", "com.microsoft:QLinearAdd" in ONNX.
  std::string type;
  std::string name;  ///< Of an ONNX node; "" where the file gives none.
  std::string custom_name;
  int version = 1;          ///< In ONNX the version of the operator set that it comes from.
  std::vector<int> inputs;  ///< Tensor indices; -1 for an absent optional input.
  std::vector<int> outputs;
  /// What the bodies of an ONNX operator (If, Loop, Scan) read of the main graph's tensors by name:
  /// ascending, once each. The bodies of a .tflite file take operands only.
  std::vector<int> implicit_inputs;
  std::optional<std::uint64_t> macs;  ///< Multiply-accumulates of one run; nothing where unknown.
  /// The constant inputs that are weights or biases; in ONNX also constants that reach the layer
  /// through a DequantizeLinear.
  std::vector<int> weights;
  std::uint64_t parameters = 0;  ///< Elements of `weights`.
};

/// The main graph of a model file.
struct Graph {
  std::string format;  ///< "tflite", "onnx"; what a format can do is asked in model/format.h.
  std::string description;
  std::string producer;  ///< What wrote an ONNX file.
  /// Versions of the operator sets by domain ("ai.onnx" is the standard's); ONNX only.
  std::map<std::string, std::int64_t> opsets;
  /// Where values outside of the file lie; empty: they cannot be read.
  std::filesystem::path folder;
  /// Of the file; where values lie outside of it, of the list of its hash and theirs, so that other
  /// weights are another model.
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
  /// One sentence each about what is read but cannot be trusted or used, e.g. a scale that is zero,
  /// negative or no number: such values are passed on as they stand.
  std::vector<std::string> warnings;

  /// Sum over the layers of the main graph whose multiply-accumulates are known.
  std::uint64_t macs() const;
  /// Elements of all weights; a tensor that several layers share counts once.
  std::uint64_t parameters() const;
};

/// Reads a model file from memory, in the format that its bytes are of. Safe on any bytes: fails
/// with kCorrupt (naming the field and the offset), kUnsupported or kLimit. Values outside of the
/// file are looked for in `folder` alone; with an empty folder they are not looked for.
Result<Graph> read_model(ByteView file, std::string_view label,
                         const std::filesystem::path& folder);
/// Reads or maps the file and then read_model() with the file's own folder; `file` receives it.
Result<Graph> load(const std::filesystem::path& path, FileBytes& file);

/// The values of a constant, quantised as they are stored. kUsage when the tensor is no constant,
/// kUnsupported when its values are sparse or no numbers, kCorrupt when `file` is not the file of
/// `graph`. Values outside of the file are read from Graph::folder, with its failures.
Result<Tensor> constant(const Graph& graph, ByteView file, int tensor);

/// Tensors that can be captured: outputs of operators, once each, in execution order, without graph
/// inputs, variables, constants and tensors that are no numbers (kOther, kInt4). Shapes, and what
/// is computed from constants and shapes alone, are left out unless they are outputs of the graph:
/// they say nothing about an input, and an engine may keep them where no output can be. So are
/// copies made by a late reshape: LiteRT 2.3 hands them out unwritten. Of an ONNX operator that is
/// written as DequantizeLinear, operator, QuantizeLinear only the integers behind it are taken.
std::vector<int> capturable(const Graph& graph);

/// Whether it is a RESHAPE of a .tflite whose shape is computed: it holds the values of its input
/// once more, in a place that the engine finds while it runs.
bool is_late_reshape(const Graph& graph, const Layer& layer);

/// By tensor: whether it is the same for every input of one shape. Shapes, and what is computed
/// from constants and shapes alone.
std::vector<bool> settled_tensors(const Graph& graph);

/// The layer whose result this tensor is: its maker, or the one before when the maker only
/// quantises what nothing else uses. Null for inputs and constants.
const Layer* layer_of(const Graph& graph, int tensor);
/// The stored integers that a DequantizeLinear gives back as this tensor; the tensor itself when
/// there is none.
int stored_form(const Graph& graph, int tensor);

/// Splits `tensors` into consecutive groups whose values (with the shapes in the file, open
/// dimensions counted as 1; where a shape is unknown, the size of the largest tensor that is known,
/// and at least a 16th of the budget) fit `budget_bytes` each; a tensor larger than the budget gets
/// a group of its own. No group has two tensors of one name.
std::vector<std::vector<int>> capture_groups(const Graph& graph, const std::vector<int>& tensors,
                                             std::size_t budget_bytes);

/// A copy of the file in which `tensors` are outputs too, behind the original ones and in this
/// order (those that are outputs already are not repeated). Append-only: weights are never
/// rewritten; in a .tflite signatures are dropped, so that the engine addresses outputs by
/// position. The copy is read back and compared before it is returned. kUsage for a tensor that is
/// not capturable, kUnsupported when the file has no list of outputs or would pass 2 GB, the limit
/// of its format.
Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors);

/// Which tensor each output of the promoted copy is, by position: the outputs of `graph`, then
/// those of `tensors` that are not among them, once each.
std::vector<int> promoted_outputs(const Graph& graph, const std::vector<int>& tensors);

}  // namespace edgeprobe::model
