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

namespace edgeprobe::model {

/// A tensor of the model file.
struct ModelTensor {
  TensorSpec spec;          ///< Shape as stored; -1 where the signature leaves it open.
  bool is_variable = false;
  bool is_constant = false; ///< Its values are in the file; `data` is where.
  std::size_t data_offset = 0;  ///< From the start of the file; meaningful when is_constant.
  std::size_t data_size = 0;
};

/// One operator, in execution order.
struct Layer {
  int index = 0;              ///< Position in the graph.
  std::string type;           ///< "CONV_2D"; "CUSTOM:<name>" for custom ops.
  std::string custom_name;
  int version = 1;
  std::vector<int> inputs;    ///< Tensor indices; -1 for an absent optional input.
  std::vector<int> outputs;
  std::optional<std::uint64_t> macs;  ///< Multiply-accumulates of one run; nothing where unknown.
  std::uint64_t parameters = 0;       ///< Elements of constant inputs that are weights or biases.
};

/// The main graph of a model file.
struct Graph {
  std::string format;        ///< "tflite".
  std::string description;
  std::string sha256;
  std::size_t file_size = 0;
  std::vector<ModelTensor> tensors;
  std::vector<Layer> layers;
  std::vector<int> inputs;   ///< Tensor indices.
  std::vector<int> outputs;
  int subgraph_count = 1;
  std::vector<std::string> signatures;
  std::map<std::string, std::size_t> metadata;  ///< Names and sizes of metadata buffers.

  std::uint64_t macs() const;
  std::uint64_t parameters() const;
};

/// Reads a .tflite file from memory. Safe on any bytes: fails with kCorrupt (naming the field and
/// the offset), kUnsupported (ONNX, a Git LFS pointer, …) or kLimit. Time and memory are linear in
/// the size of the file.
Result<Graph> read_tflite(ByteView file, std::string_view label);
/// Reads the file and then read_tflite(); `bytes` receives the file.
Result<Graph> load(const std::filesystem::path& path, Bytes& bytes);

/// The values of a constant.
Result<Tensor> constant(const Graph& graph, ByteView file, int tensor);

/// Tensors that can be captured: outputs of operators, once each, in execution order, without graph
/// inputs, variables and tensors that are no numbers.
std::vector<int> capturable(const Graph& graph);

/// Splits `tensors` into consecutive groups whose values (with the shapes in the file, open dimensions
/// counted as 1) fit `budget_bytes` each; a tensor larger than the budget gets a group of its own.
std::vector<std::vector<int>> capture_groups(const Graph& graph, const std::vector<int>& tensors,
                                             std::size_t budget_bytes);

/// A copy of the file in which `tensors` are outputs too, behind the original ones and in this order
/// (those that are outputs already are not repeated). Append-only: weights are never rewritten;
/// signatures are dropped, so that the engine addresses outputs by position.
Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors);

}  // namespace edgeprobe::model
