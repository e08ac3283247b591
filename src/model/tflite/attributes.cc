// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/tflite.h"

#include "model/tflite/flatbuffer.h"
#include "model/tflite/option_fields.h"
#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

AttributeValue value_of(FlatReader& reader, const Table& table, const OptionField& option) {
  const Field field{option.field, option.name};
  switch (option.kind) {
    case OptionField::Kind::kNumber:
      return std::int64_t{
          reader.scalar<std::int32_t>(table, field, static_cast<std::int32_t>(option.absent))};
    case OptionField::Kind::kFlag: return reader.scalar<std::uint8_t>(table, field, 0) != 0;
    case OptionField::Kind::kReal:
      return reader.scalar<float>(table, field, static_cast<float>(option.absent));
    default: break;
  }
  const std::vector<std::string>& words = option_words(option.kind);
  const std::size_t value = reader.scalar<std::uint8_t>(table, field, 0);
  return value < words.size() ? words[value] : std::to_string(value);
}

}  // namespace

Result<std::vector<Attributes>> attributes_tflite(const Graph& graph, ByteView file) {
  FlatReader reader(file, "the model");
  const Table root = reader.root();  // Failures refer to this table.
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
    const auto* const known =
        option_fields(reader.scalar<std::uint8_t>(op, schema::op::kBuiltinOptionsType, 0));
    const Table table = reader.table(op, schema::op::kBuiltinOptions);
    if (!table || !known) continue;
    for (const OptionField& option : *known)
      all[i].push_back({option.name, value_of(reader, table, option)});
  }
  if (reader.failed()) return reader.error();
  return all;
}

}  // namespace edgeprobe::model
