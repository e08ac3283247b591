// SPDX-License-Identifier: Apache-2.0
// Functions of format.h that dispatch through the table of formats.
#include <string>
#include <utility>

#include "core/index.h"
#include "model/edit.h"
#include "model/format.h"

namespace edgeprobe::model {
namespace {

bool is_tensor(const Graph& graph, int tensor) {
  return tensor >= 0 && at(tensor) < graph.tensors.size();
}

Status check(const Graph& graph, const Part& part) {
  const auto refuse = [](const std::string& what) {
    return Error{ErrorKind::kUsage, "a part of a model " + what};
  };
  if (part.layers.empty()) return refuse("needs at least one layer");
  if (part.outputs.empty()) return refuse("needs at least one output");
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    if (part.layers[i] < 0 || at(part.layers[i]) >= graph.layers.size())
      return refuse("names layer " + std::to_string(part.layers[i]) + ", the graph has " +
                    std::to_string(graph.layers.size()));
    if (i > 0 && part.layers[i] <= part.layers[i - 1])
      return refuse("needs its layers in ascending order");
  }
  for (const auto* list : {&part.inputs, &part.outputs})
    for (const int tensor : *list)
      if (!is_tensor(graph, tensor))
        return refuse("names tensor " + std::to_string(tensor) + ", the graph has " +
                      std::to_string(graph.tensors.size()));
  return {};
}

}  // namespace

Result<Graph> load(const std::filesystem::path& path, FileBytes& file) {
  EP_TRY(file, FileBytes::open(path));
  // A path without a folder refers to the current folder.
  return read_model(file, path.string(),
                    path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

Result<Graph> read_model(ByteView file, std::string_view label,
                         const std::filesystem::path& folder) {
  EP_TRY(const auto format, format_of(file, label));
  return operations_of(format).read(file, label, folder);
}

Result<Graph> read_unhashed(ByteView file, std::string_view label,
                            const std::filesystem::path& folder) {
  EP_TRY(const auto format, format_of(file, label));
  return operations_of(format).parse(file, label, folder);
}

Result<std::vector<Attributes>> attributes(const Graph& graph, ByteView file) {
  EP_TRY(const auto format, operations_of(graph));
  return format->attributes(graph, file);
}

std::optional<AttributeValue> default_attribute(const Graph& graph, const Layer& layer,
                                                const std::string& name) {
  const auto format = operations_of(graph);
  if (!format || !(*format)->default_attribute) return std::nullopt;
  return (*format)->default_attribute(layer, name);
}

Status set_scale(const Graph& graph, Bytes& file, int tensor, float scale,
                 std::int64_t zero_point) {
  EP_TRY(const auto format, operations_of(graph));
  if (!format->set_scale)
    return Error{ErrorKind::kUnsupported, "scales of " + graph.format + " models are not changed"};
  if (!is_tensor(graph, tensor))
    return Error{ErrorKind::kUsage, "there is no tensor " + std::to_string(tensor)};
  return format->set_scale(graph, file, tensor, scale, zero_point);
}

Result<Bytes> scrub(const Graph& graph, ByteView file, ByteView before) {
  EP_TRY(const auto format, operations_of(graph));
  if (!format->scrub) return file.copy();
  return format->scrub(graph, file, before);
}

Result<Bytes> cut(const Graph& graph, ByteView file, const Part& part) {
  EP_TRY(const auto format, operations_of(graph));
  EP_CHECK(check(graph, part));
  return format->cut(graph, file, part);
}

Result<Bytes> replaced(const Graph& graph, ByteView file,
                       const std::vector<Replacement>& replacements) {
  EP_TRY(const auto format, operations_of(graph));
  if (!format->replaced)
    return Error{ErrorKind::kUnsupported, "layers of " + graph.format + " models are not replaced"};
  return format->replaced(graph, file, replacements);
}

}  // namespace edgeprobe::model
