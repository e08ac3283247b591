// SPDX-License-Identifier: Apache-2.0
#include "model/graph.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "core/text.h"
#include "model/format.h"
#include "model/onnx/external.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor.h"
#include "model/qdq.h"

namespace edgeprobe::model {
namespace {

// Bytes of the values with open dimensions counted as 1; the largest number when there is no such
// size.
std::size_t capture_bytes(const TensorSpec& spec) {
  TensorSpec closed{"", spec.dtype, spec.shape, {}};
  for (std::int64_t& dim : closed.shape)
    if (dim < 0) dim = 1;
  return closed.byte_size().value_or(std::numeric_limits<std::size_t>::max());
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Whether an operator's outputs follow from its inputs alone, by a formula that is known here.
bool is_plain(const Layer& layer) {
  static const std::unordered_set<std::string_view> kOthers{"IF",
                                                            "WHILE",
                                                            "CALL",
                                                            "CALL_ONCE",
                                                            "DELEGATE",
                                                            "MULTINOMIAL",
                                                            "READ_VARIABLE",
                                                            "VAR_HANDLE",
                                                            "STABLEHLO_CUSTOM_CALL",
                                                            "STABLEHLO_RNG_BIT_GENERATOR",
                                                            "STABLEHLO_WHILE"};
  return !starts_with(layer.type, "CUSTOM:") && !starts_with(layer.type, "BUILTIN_") &&
         !starts_with(layer.type, "RANDOM_") && !is_unsettled_onnx(layer.type) &&
         !starts_with(layer.type, "HASHTABLE") && kOthers.count(layer.type) == 0;
}

// Tensors that are the same for every input of one shape: shapes, and what is computed from
// constants and shapes alone. Engines compute them once, while they prepare a model; LiteRT 2.3
// crashes when some of them are outputs.
std::vector<bool> settled_tensors(const Graph& graph) {
  std::vector<bool> settled(graph.tensors.size());
  for (std::size_t i = 0; i < settled.size(); ++i) settled[i] = graph.tensors[i].is_constant;
  for (const Layer& layer : graph.layers) {
    bool all = layer.type == "SHAPE" || layer.type == "RANK" || layer.type == "Shape" ||
               layer.type == "Size" || layer.type == "Constant";
    if (!all && is_plain(layer) && !layer.inputs.empty())
      all = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
        return input < 0 || settled[static_cast<std::size_t>(input)];
      });
    for (const int output : layer.outputs)
      if (output >= 0) settled[static_cast<std::size_t>(output)] = all;
  }
  return settled;
}

// A RESHAPE whose shape is computed holds the values of its input once more, in a place that the
// engine finds while it runs: as an output LiteRT 2.3 leaves it unwritten without saying so.
bool is_late_reshape(const Graph& graph, const Layer& layer) {
  return layer.type == "RESHAPE" && layer.inputs.size() > 1 && layer.inputs[1] >= 0 &&
         !graph.tensors[static_cast<std::size_t>(layer.inputs[1])].is_constant;
}

Result<Tensor> external_constant(const Graph& graph, const ModelTensor& found) {
  const std::string name = "'" + printable(found.spec.name, 60) + "'";
  if (graph.folder.empty())
    return Error{Fault::kUsage, name + " has its values in '" + printable(found.external_file) +
                                    "', and the model's folder is not known"};
  auto values =
      onnx::read_external(graph.folder, found.external_file, found.data_offset, found.data_size);
  if (!values) return std::move(values).error().during(name);
  return Tensor{found.spec, *std::move(values)};
}

}  // namespace

std::uint64_t Graph::macs() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) {
    const std::uint64_t more = layer.macs.value_or(0);
    sum = more > kMost - sum ? kMost : sum + more;
  }
  return sum;
}

std::uint64_t Graph::parameters() const {
  std::vector<bool> counted(tensors.size());
  std::uint64_t sum = 0;
  for (const Layer& layer : layers)
    for (const int weight : layer.weights) {
      const auto index = static_cast<std::size_t>(weight);
      if (!counted[index]) sum += element_count(tensors[index].spec.shape).value_or(0);
      counted[index] = true;
    }
  return sum;
}

Result<Graph> load(const std::filesystem::path& path, FileBytes& file) {
  auto opened = FileBytes::open(path);
  if (!opened) return std::move(opened).error();
  file = *std::move(opened);
  // A file given by its bare name lies in the current folder.
  return read_model(file, path.string(),
                    path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

Result<Graph> read_model(ByteView file, std::string_view label,
                         const std::filesystem::path& folder) {
  const auto format = format_of(file, label);
  if (!format) return format.error();
  return operations_of(*format).read(file, label, folder);
}

Result<Tensor> constant(const Graph& graph, ByteView file, int tensor) {
  const auto refuse = [&](Fault fault, const std::string& what) {
    return Error{fault, "tensor " + std::to_string(tensor) + " " + what};
  };
  if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.tensors.size())
    return refuse(Fault::kUsage,
                  "does not exist, the model has " + std::to_string(graph.tensors.size()));
  const ModelTensor& found = graph.tensors[static_cast<std::size_t>(tensor)];
  if (!found.is_constant)
    return refuse(Fault::kUsage, "is computed, its values are not in the file");
  if (found.is_sparse)
    return refuse(Fault::kUnsupported, "is stored without its zeros, which is not read");
  if (found.storage == ModelTensor::Storage::kExternal) return external_constant(graph, found);
  if (found.data_offset > file.size || found.data_size > file.size - found.data_offset)
    return refuse(Fault::kCorrupt, "has its values past the end of the file");
  if (found.storage == ModelTensor::Storage::kProtobuf) {
    auto values = onnx::decode_values(file, found);
    if (!values) return refuse(values.error().fault, values.error().what);
    return Tensor{found.spec, *std::move(values)};
  }
  return Tensor{found.spec, file.sub(found.data_offset, found.data_size).copy()};
}

std::vector<int> capturable(const Graph& graph) {
  std::vector<bool> taken = settled_tensors(graph);
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0 && is_late_reshape(graph, layer))
        taken[static_cast<std::size_t>(output)] = true;
  const std::vector<bool> within = within_integer_operators(graph);
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = taken[i] || within[i];
  for (const int output : graph.outputs) taken[static_cast<std::size_t>(output)] = false;
  for (const int input : graph.inputs) taken[static_cast<std::size_t>(input)] = true;
  std::vector<int> found;
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs) {
      if (output < 0 || taken[static_cast<std::size_t>(output)]) continue;
      taken[static_cast<std::size_t>(output)] = true;
      const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(output)];
      if (!tensor.is_variable && !tensor.is_constant && size_of(tensor.spec.dtype) != 0)
        found.push_back(output);
    }
  return found;
}

std::vector<std::vector<int>> capture_groups(const Graph& graph, const std::vector<int>& tensors,
                                             std::size_t budget_bytes) {
  std::vector<std::vector<int>> groups;
  std::unordered_set<std::string_view> names;  // of the last group
  std::size_t left = 0, largest = 0;
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.shape_known && !tensor.is_constant && size_of(tensor.spec.dtype) != 0)
      largest = std::max(largest, capture_bytes(tensor.spec));
  for (const int index : tensors) {
    const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
    const std::size_t bytes =
        tensor.shape_known ? capture_bytes(tensor.spec) : std::max(largest, budget_bytes / 16);
    // LiteRT finds outputs by their names: two of one name end its process.
    if (groups.empty() || bytes > left || names.count(tensor.spec.name)) {
      groups.emplace_back();
      left = budget_bytes;
      names.clear();
    }
    names.insert(tensor.spec.name);
    groups.back().push_back(index);
    left -= std::min(left, bytes);
  }
  return groups;
}

}  // namespace edgeprobe::model
