// SPDX-License-Identifier: Apache-2.0
#include "small_model.h"

#include <string>

namespace edgeprobe::testing {
namespace {

constexpr std::int8_t kInt8 = 9, kInt32 = 2;

Node quantization(const std::vector<float>& scales, const std::vector<std::int64_t>& zeros) {
  Node node = flat_table();
  node->child(2, flat_numbers(scales)).child(3, flat_numbers(zeros));
  return node;
}

Node tensor(std::string_view name, const std::vector<std::int32_t>& shape, std::int8_t type,
            std::uint32_t buffer, Node quantized) {
  Node node = flat_table();
  node->child(0, flat_numbers(shape)).scalar(1, type).scalar(2, buffer).child(3, flat_text(name));
  if (quantized) node->child(4, std::move(quantized));
  return node;
}

Node code(std::int8_t builtin) {
  Node node = flat_table();
  node->scalar(0, builtin).scalar(2, std::int32_t{1}).scalar(3, std::int32_t{builtin});
  return node;
}

Node op(std::uint32_t opcode, const std::vector<std::int32_t>& inputs,
        const std::vector<std::int32_t>& outputs) {
  Node node = flat_table();
  node->scalar(0, opcode).child(1, flat_numbers(inputs)).child(2, flat_numbers(outputs));
  return node;
}

Node buffer(const Bytes& bytes) {
  Node node = flat_table();
  if (bytes.empty()) return node;
  node->child(0, flat_text(ByteView(bytes).text()));
  return node;
}

Bytes counted(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 7);
  return bytes;
}

}  // namespace

SmallModel::SmallModel() {
  code_conv = code(3);
  code_custom = code(32);
  code_custom->child(1, flat_text("Twist"));
  code_dense = code(9);

  input = tensor("input", {1, 4, 4, 3}, kInt8, 0, quantization({0.5f}, {-1}));
  filter = tensor("filter", {2, 3, 3, 3}, kInt8, 1, quantization({0.1f, 0.2f}, {0, 0}));
  bias = tensor("bias", {2}, kInt32, 2, quantization({0.05f, 0.1f}, {0, 0}));
  conv = tensor("conv", {1, 4, 4, 2}, kInt8, 0, quantization({0.25f}, {3}));
  twisted = tensor("twisted", {1, 4, 4, 2}, kInt8, 0, quantization({0.25f}, {3}));
  weights = tensor("weights", {5, 32}, kInt8, 3, quantization({0.01f}, {0}));
  output = tensor("output", {1, 5}, kInt8, 0, quantization({0.125f}, {0}));

  op_conv = op(0, {0, 1, 2}, {3});
  op_custom = op(1, {3}, {4});
  op_dense = op(2, {4, 5, -1}, {6});

  tensors = flat_vector({input, filter, bias, conv, twisted, weights, output});
  operators = flat_vector({op_conv, op_custom, op_dense});
  graph_inputs = flat_numbers(std::vector<std::int32_t>{0});
  graph_outputs = flat_numbers(std::vector<std::int32_t>{6});
  graph = flat_table();
  graph->child(0, tensors).child(1, graph_inputs).child(2, graph_outputs).child(3, operators);
  graphs = flat_vector({graph});
  filter_buffer = buffer(counted(54));
  buffers = flat_vector(
      {buffer({}), filter_buffer, buffer(counted(8)), buffer(counted(160)), buffer(counted(9))});

  const auto map_of = [](std::string_view name, std::uint32_t tensor_index) {
    Node node = flat_table();
    node->child(0, flat_text(name)).scalar(1, tensor_index);
    return flat_vector({node});
  };
  Node signature = flat_table();
  signature->child(0, map_of("x", 0))
      .child(1, map_of("y", 6))
      .child(2, flat_text("serve"))
      .scalar(4, std::uint32_t{0});
  Node entry = flat_table();
  entry->child(0, flat_text("note")).scalar(1, std::uint32_t{4});

  model = flat_table();
  model->scalar(0, std::uint32_t{3})
      .child(1, flat_vector({code_conv, code_custom, code_dense}))
      .child(2, graphs)
      .child(3, flat_text("small"))
      .child(4, buffers)
      .child(6, flat_vector({entry}))
      .child(7, flat_vector({signature}));
}

}  // namespace edgeprobe::testing
