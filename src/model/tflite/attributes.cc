// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/tflite.h"

#include <array>
#include <map>

#include "model/tflite/flatbuffer.h"
#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

enum class Kind { kNumber, kFlag, kReal, kPadding, kActivation };
struct Option {
  const char* name;
  int field;
  Kind kind;
  double absent = 0;
};

// By the type of the options' table in the schema (version 3).
const std::map<int, std::vector<Option>>& known_options() {
  using enum Kind;
  static const std::vector<Option> fused{{"fused_activation", 0, kActivation}};
  static const std::map<int, std::vector<Option>> known{
      {1,
       {{"padding", 0, kPadding},
        {"stride_width", 1, kNumber},
        {"stride_height", 2, kNumber},
        {"fused_activation", 3, kActivation},
        {"dilation_width", 4, kNumber, 1},
        {"dilation_height", 5, kNumber, 1}}},
      {2,
       {{"padding", 0, kPadding},
        {"stride_width", 1, kNumber},
        {"stride_height", 2, kNumber},
        {"fused_activation", 4, kActivation},
        {"dilation_width", 5, kNumber, 1},
        {"dilation_height", 6, kNumber, 1}}},
      {5,
       {{"padding", 0, kPadding},
        {"stride_width", 1, kNumber},
        {"stride_height", 2, kNumber},
        {"filter_width", 3, kNumber},
        {"filter_height", 4, kNumber},
        {"fused_activation", 5, kActivation}}},
      {8, fused},
      {9, {{"beta", 0, kReal}}},
      {10, {{"axis", 0, kNumber}, {"fused_activation", 1, kActivation}}},
      {11, fused},
      {12, fused},
      {15, {{"align_corners", 2, kFlag}, {"half_pixel_centers", 3, kFlag}}},
      {21, fused},
      {28, fused},
      {29, fused},
      {49,
       {{"padding", 0, kPadding},
        {"stride_width", 1, kNumber},
        {"stride_height", 2, kNumber},
        {"fused_activation", 3, kActivation}}},
      {74, {{"align_corners", 0, kFlag}, {"half_pixel_centers", 1, kFlag}}},
      {75, {{"alpha", 0, kReal}}}};
  return known;
}

std::string named(std::uint8_t value, const auto& names) {
  return value < names.size() ? names[value] : std::to_string(value);
}

AttributeValue value_of(FlatReader& reader, const Table& table, const Option& option) {
  static constexpr std::array kPaddings{"SAME", "VALID"};
  static constexpr std::array kFused{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
  const Field field{option.field, option.name};
  switch (option.kind) {
    case Kind::kNumber:
      return std::int64_t{
          reader.scalar<std::int32_t>(table, field, static_cast<std::int32_t>(option.absent))};
    case Kind::kFlag: return reader.scalar<std::uint8_t>(table, field, 0) != 0;
    case Kind::kReal: return reader.scalar<float>(table, field, static_cast<float>(option.absent));
    case Kind::kPadding: return named(reader.scalar<std::uint8_t>(table, field, 0), kPaddings);
    case Kind::kActivation: return named(reader.scalar<std::uint8_t>(table, field, 0), kFused);
  }
  return false;
}

}  // namespace

Result<std::vector<Attributes>> attributes_tflite(const Graph& graph, ByteView file) {
  FlatReader reader(file, "the model");
  const Table root = reader.root();  // The place of a failure refers to it.
  const Vector subgraphs = reader.vector(root, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0)
    return Error{ErrorKind::kUnsupported, "the model has no main graph"};
  const Table main = reader.table_at(subgraphs, 0);
  const Vector operators = reader.vector(main, schema::subgraph::kOperators, 4);
  if (operators.count != graph.layers.size())
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  std::vector<Attributes> all(operators.count);
  for (std::size_t i = 0; i < operators.count && !reader.failed(); ++i) {
    const Table op = reader.table_at(operators, i);
    const auto known =
        known_options().find(reader.scalar<std::uint8_t>(op, schema::op::kBuiltinOptionsType, 0));
    const Table table = reader.table(op, schema::op::kBuiltinOptions);
    if (!table || known == known_options().end()) continue;
    for (const Option& option : known->second)
      all[i].push_back({option.name, value_of(reader, table, option)});
  }
  if (reader.failed()) return reader.error();
  return all;
}

}  // namespace edgeprobe::model
