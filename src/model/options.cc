#include "model/options.h"

#include <array>
#include <map>

#include "core/text.h"
#include "model/flatbuffer.h"
#include "model/tflite_schema.h"

namespace edgeprobe::model {
namespace {

enum class Kind { kNumber, kFlag, kReal, kPadding, kActivation };
struct Option { const char* name; int field; Kind kind; double absent = 0; };

// By the type of the options' table in the schema (version 3).
const std::map<int, std::vector<Option>>& known_options() {
  using enum Kind;
  static const std::vector<Option> fused{{"fused_activation", 0, kActivation}};
  static const std::map<int, std::vector<Option>> known{
      {1, {{"padding", 0, kPadding}, {"stride_width", 1, kNumber}, {"stride_height", 2, kNumber}, {"fused_activation", 3, kActivation},
           {"dilation_width", 4, kNumber, 1}, {"dilation_height", 5, kNumber, 1}}},
      {2, {{"padding", 0, kPadding}, {"stride_width", 1, kNumber}, {"stride_height", 2, kNumber}, {"fused_activation", 4, kActivation},
           {"dilation_width", 5, kNumber, 1}, {"dilation_height", 6, kNumber, 1}}},
      {5, {{"padding", 0, kPadding}, {"stride_width", 1, kNumber}, {"stride_height", 2, kNumber}, {"filter_width", 3, kNumber},
           {"filter_height", 4, kNumber}, {"fused_activation", 5, kActivation}}},
      {8, fused},
      {9, {{"beta", 0, kReal}}},
      {10, {{"axis", 0, kNumber}, {"fused_activation", 1, kActivation}}},
      {11, fused},
      {12, fused},
      {15, {{"align_corners", 2, kFlag}, {"half_pixel_centers", 3, kFlag}}},
      {21, fused},
      {28, fused},
      {29, fused},
      {49, {{"padding", 0, kPadding}, {"stride_width", 1, kNumber}, {"stride_height", 2, kNumber}, {"fused_activation", 3, kActivation}}},
      {74, {{"align_corners", 0, kFlag}, {"half_pixel_centers", 1, kFlag}}},
      {75, {{"alpha", 0, kReal}}}};
  return known;
}

std::string named(std::uint8_t value, const auto& names) { return value < names.size() ? names[value] : std::to_string(value); }

}  // namespace

Result<Options> options_of(ByteView file, int layer) {
  FlatReader reader(file, "the model");
  const Table root = reader.root();  // The place of a failure refers to it.
  const Vector subgraphs = reader.vector(root, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0) return Error{Fault::kUnsupported, "the model has no main graph"};
  const Table graph = reader.table_at(subgraphs, 0);
  const Vector operators = reader.vector(graph, schema::subgraph::kOperators, 4);
  if (layer < 0 || static_cast<std::size_t>(layer) >= operators.count) return Error{Fault::kUsage, "the model has no layer " + std::to_string(layer)};
  const Table op = reader.table_at(operators, static_cast<std::size_t>(layer));
  Options options;
  const auto known = known_options().find(reader.scalar<std::uint8_t>(op, schema::op::kBuiltinOptionsType, 0));
  const Table table = reader.table(op, schema::op::kBuiltinOptions);
  if (table && known != known_options().end()) {
    static constexpr std::array kPaddings{"SAME", "VALID"};
    static constexpr std::array kFused{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
    for (const Option& option : known->second) {
      const Field field{option.field, option.name};
      std::string value;
      switch (option.kind) {
        case Kind::kNumber: value = std::to_string(reader.scalar<std::int32_t>(table, field, static_cast<std::int32_t>(option.absent))); break;
        case Kind::kFlag: value = reader.scalar<std::uint8_t>(table, field, 0) ? "true" : "false"; break;
        case Kind::kReal: value = number(reader.scalar<float>(table, field, static_cast<float>(option.absent)), 6); break;
        case Kind::kPadding: value = named(reader.scalar<std::uint8_t>(table, field, 0), kPaddings); break;
        case Kind::kActivation: value = named(reader.scalar<std::uint8_t>(table, field, 0), kFused); break;
      }
      options.emplace_back(option.name, std::move(value));
    }
  }
  if (reader.failed()) return reader.error();
  return options;
}

}  // namespace edgeprobe::model
