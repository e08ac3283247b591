// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "model/onnx/onnx.h"
#include "model/onnx/splice.h"
#include "model/onnx/written.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

bool is_promoted(const Graph& before, const Graph& after, const std::vector<int>& outputs) {
  return after.outputs == outputs && after.inputs == before.inputs &&
         after.subgraph_count == before.subgraph_count && after.opsets == before.opsets &&
         after.metadata == before.metadata && same_all(after.tensors, before.tensors) &&
         same_all(after.layers, before.layers);
}

// Parsers merge repeated parts of a message, so appending a second graph with only outputs, or
// types, adds them to the first one.
Result<Bytes> with_graph_fields(ByteView file, const std::string& added, const char* with) {
  const std::string patch = added.empty() ? "" : onnx::written_field(7, added);
  if (file.size + patch.size() > kMostBytes)
    return Error{ErrorKind::kUnsupported, "the model has " + std::to_string(file.size) +
                                              " bytes, with " + with +
                                              " it would exceed the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + patch.size());
  bytes.assign(file.begin(), file.end());
  const ByteView more = view_of(patch);
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

}  // namespace

Result<Bytes> with_types_onnx(const Graph&, ByteView file, const std::vector<TensorSpec>& types) {
  std::string added;
  for (const TensorSpec& spec : types)
    if (const std::string info = onnx::written_value_type(spec.name, spec.dtype); !info.empty())
      added += onnx::written_field(13, info);
  return with_graph_fields(file, added, "the types of its intermediates");
}

Result<Bytes> promote_onnx(const Graph& graph, ByteView file, const std::vector<int>& tensors) {
  const std::vector<int> outputs = promoted_outputs(graph, tensors);
  std::string added;
  for (std::size_t i = graph.outputs.size(); i < outputs.size(); ++i)
    added += onnx::written_field(
        12, onnx::written_field(1, graph.tensors[static_cast<std::size_t>(outputs[i])].spec.name));
  EP_TRY(auto bytes, with_graph_fields(file, added, "its intermediates as outputs"));
  EP_TRY(const auto again,
         parse_onnx(bytes, "the model with its intermediates as outputs", graph.folder));
  if (!is_promoted(graph, again, outputs))
    return Error{ErrorKind::kCorrupt,
                 "the model does not read as before with its intermediates as outputs: is the file "
                 "another one than the graph's?"};
  return bytes;
}

bool is_unsettled_onnx(std::string_view type) {
  for (const std::string_view one : {"If", "Loop", "Scan", "SequenceMap", "Multinomial",
                                     "Bernoulli", "Dropout", "Optional", "SequenceEmpty"})
    if (type == one) return true;
  return type.substr(0, 6) == "Random" ||
         (type.find(':') != std::string_view::npos && type.substr(0, 7) != "CUSTOM:" &&
          type.substr(0, 14) != "com.microsoft:");
}

}  // namespace edgeprobe::model
