// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/index.h"
#include "core/text.h"
#include "model/edit.h"
#include "model/same.h"
#include "model/tflite/flatbuffer.h"
#include "model/tflite/option_fields.h"
#include "model/tflite/patch.h"
#include "model/tflite/schema.h"
#include "model/tflite/tflite.h"

namespace edgeprobe::model {
namespace {

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

// The operator's table of options, and the slot that refers to it.
struct Options {
  const OptionField* field = nullptr;
  std::size_t slot = 0, table = 0, vtable = 0, vtable_size = 0, table_size = 0;
};

Result<Options> options_at(ByteView file, const Change& change, const std::string& type) {
  FlatReader reader(file, "the model");
  const Table root = reader.root();  // Failures refer to this table.
  const Vector subgraphs = reader.vector(root, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0) return refuse("the model has no main graph");
  const Table main = reader.table_at(subgraphs, 0);
  const Vector operators = reader.vector(main, schema::subgraph::kOperators, 4);
  if (at(change.layer) >= operators.count)
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  const Table op = reader.table_at(operators, at(change.layer));
  Options found;
  found.slot = reader.slot(op, schema::op::kBuiltinOptions, 4);
  const int kind = reader.scalar<std::uint8_t>(op, schema::op::kBuiltinOptionsType, 0);
  const Table table = reader.table(op, schema::op::kBuiltinOptions);
  if (reader.failed()) return reader.error();
  if (const auto* const fields = option_fields(kind))
    for (const OptionField& one : *fields)
      if (one.name == change.name) found.field = &one;
  if (!found.field || !table || !found.slot)
    return refuse(type + " has no option '" + sanitized(change.name, 60) + "' in the file");
  // Among all tables above, only that of a fully connected layer refers to data after it.
  constexpr int kFullyConnected = 8;
  constexpr Field kQuantSpec{5, "quant_spec"};
  if (kind == kFullyConnected && reader.slot(table, kQuantSpec, 4))
    return refuse("the options of " + type + " hold a list, which is not copied");
  std::uint16_t size = 0;
  std::memcpy(&size, file.data + table.vtable + 2, sizeof size);
  if (size < 4 || size > file.size - table.at)
    return refuse("the options of " + type + " are not inside the file");
  found.table = table.at;
  found.vtable = table.vtable;
  found.vtable_size = table.vtable_size;
  found.table_size = size;
  return found;
}

// The field's bytes; nothing for a value that it cannot hold.
std::optional<Bytes> bytes_of(const OptionField& field, const AttributeValue& value) {
  Bytes bytes;
  const auto whole = [&]() -> std::optional<std::int64_t> {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
    return std::nullopt;
  };
  switch (field.kind) {
    case OptionField::Kind::kNumber: {
      const auto number = whole();
      if (!number || *number < std::numeric_limits<std::int32_t>::min() ||
          *number > std::numeric_limits<std::int32_t>::max())
        return std::nullopt;
      bytes.resize(4);
      put(bytes, 0, static_cast<std::int32_t>(*number));
      return bytes;
    }
    case OptionField::Kind::kFlag: {
      const auto flag = whole();
      if (!flag || (*flag != 0 && *flag != 1)) return std::nullopt;
      return Bytes{static_cast<std::byte>(*flag)};
    }
    case OptionField::Kind::kReal: {
      const auto* const number = std::get_if<float>(&value);
      if (!number || !std::isfinite(*number)) return std::nullopt;
      bytes.resize(4);
      put(bytes, 0, *number);
      return bytes;
    }
    default: break;
  }
  const auto* const word = std::get_if<std::string>(&value);
  const std::vector<std::string>& words = option_words(field.kind);
  const auto place = word ? std::find(words.begin(), words.end(), *word) : words.end();
  if (place == words.end()) return std::nullopt;
  return Bytes{static_cast<std::byte>(place - words.begin())};
}

Status set_option(const Graph& graph, Bytes& file, const Change& change) {
  EP_TRY(const auto found, options_at(file, change, graph.layers[at(change.layer)].type));
  const auto value = bytes_of(*found.field, change.value);
  if (!value)
    return refuse("'" + change.name + "' cannot be " + to_text(change.value) +
                  " in a .tflite file");
  // Copies the table and its vtable, both of which may be shared, and appends the field, which may
  // be absent.
  const std::size_t entry = 4 + 2 * static_cast<std::size_t>(found.field->field);
  Bytes vtable(std::max(found.vtable_size, entry + 2));
  std::memcpy(vtable.data(), file.data() + found.vtable, found.vtable_size);
  Bytes table(found.table_size);
  std::memcpy(table.data(), file.data() + found.table, found.table_size);
  align(table);
  const std::size_t place = table.size();
  table.insert(table.end(), value->begin(), value->end());
  align(table);
  if (table.size() > std::numeric_limits<std::uint16_t>::max() ||
      file.size() + table.size() + vtable.size() + 32 > kMostBytes)
    return refuse("the options have no room in the file");
  put(vtable, 0, static_cast<std::uint16_t>(vtable.size()));
  put(vtable, 2, static_cast<std::uint16_t>(table.size()));
  put(vtable, entry, static_cast<std::uint16_t>(place));
  align(file);
  const std::size_t new_vtable = file.size();
  file.insert(file.end(), vtable.begin(), vtable.end());
  // Keeps the alignment of fields modulo 8.
  while (file.size() % 8 != found.table % 8) file.push_back(std::byte{0});
  const std::size_t new_table = file.size();
  put(table, 0, static_cast<std::int32_t>(new_table - new_vtable));
  file.insert(file.end(), table.begin(), table.end());
  align(file);
  put(file, found.slot, static_cast<std::uint32_t>(new_table - found.slot));
  return {};
}

// The numbers in the constant's stored form; nothing if it has another type.
std::optional<Bytes> stored_numbers(DType dtype, const AttributeValue& value) {
  std::vector<double> numbers;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
    numbers.assign(list->begin(), list->end());
  else if (const auto* reals = std::get_if<std::vector<float>>(&value))
    numbers.assign(reals->begin(), reals->end());
  else if (const auto* one = std::get_if<std::int64_t>(&value))
    numbers = {static_cast<double>(*one)};
  else if (const auto* real = std::get_if<float>(&value)) numbers = {*real};
  else return std::nullopt;
  Bytes bytes;
  for (const double number : numbers) {
    const std::size_t from = bytes.size();
    bytes.resize(from + size_of(dtype));
    switch (dtype) {
      case DType::kInt32: put(bytes, from, static_cast<std::int32_t>(number)); break;
      case DType::kInt64: put(bytes, from, static_cast<std::int64_t>(number)); break;
      case DType::kFloat32: put(bytes, from, static_cast<float>(number)); break;
      default: return std::nullopt;
    }
  }
  return bytes;
}

Status set_input(const Graph& graph, Bytes& file, const Change& change) {
  const Layer& layer = graph.layers[at(change.layer)];
  const std::string what = layer.type + "'s '" + sanitized(change.name, 60) + "' ";
  if (at(change.input) >= layer.inputs.size() || layer.inputs[at(change.input)] < 0)
    return refuse(what + "is not given in the file");
  const int tensor = layer.inputs[at(change.input)];
  const ModelTensor& own = graph.tensors[at(tensor)];
  if (!own.is_constant) return refuse(what + "is computed");
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const ModelTensor& other = graph.tensors[i];
    if (i != at(tensor) && other.is_constant &&
        other.data_offset < own.data_offset + own.data_size &&
        own.data_offset < other.data_offset + other.data_size)
      return refuse(what + "shares its numbers with another constant");
  }
  for (const Layer& other : graph.layers)
    if (other.index != layer.index &&
        std::count(other.inputs.begin(), other.inputs.end(), tensor) > 0)
      return refuse(what + "is shared with another operator");
  const auto bytes = stored_numbers(own.spec.dtype, change.value);
  if (!bytes) return refuse(what + "is not a list of whole or real numbers in the file");
  if (bytes->size() != own.data_size) return refuse(what + "has another length in the file");
  return set_constant(graph, file, tensor, *bytes);
}

}  // namespace

Status set_attribute_tflite(const Graph& graph, Bytes& file, const Change& change) {
  if (change.name == kOperatorType)
    return refuse("the type of an operator is not changed in a .tflite file");
  return change.input < 0 ? set_option(graph, file, change) : set_input(graph, file, change);
}

}  // namespace edgeprobe::model
