#include "model/graph.h"
#include "model/onnx.h"
#include "model/patch.h"
#include "model/tflite.h"

namespace edgeprobe::model {
namespace {

// What the patch must leave alone, and what it must have done.
bool is_promoted(const Graph& before, const Graph& after, const std::vector<int>& outputs) {
  return after.outputs == outputs && after.inputs == before.inputs && after.signatures.empty() &&
         after.subgraph_count == before.subgraph_count && after.metadata == before.metadata &&
         same_all(after.tensors, before.tensors) && same_all(after.layers, before.layers);
}

Status check_request(const Graph& graph, const std::vector<int>& tensors) {
  const std::vector<int> known = capturable(graph);
  std::vector<bool> allowed(graph.tensors.size());
  for (const int tensor : known) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : graph.outputs) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : tensors)
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= allowed.size() || !allowed[static_cast<std::size_t>(tensor)])
      return Error{Fault::kUsage, "tensor " + std::to_string(tensor) +
                                      " cannot be captured: it is no numeric output of an operator of the main graph"};
  return {};
}

}  // namespace

std::vector<int> promoted_outputs(const Graph& graph, const std::vector<int>& tensors) {
  std::vector<bool> taken(graph.tensors.size());
  std::vector<int> outputs = graph.outputs;
  for (const int output : outputs) taken[static_cast<std::size_t>(output)] = true;
  for (const int tensor : tensors)
    if (!taken[static_cast<std::size_t>(tensor)]) {
      taken[static_cast<std::size_t>(tensor)] = true;
      outputs.push_back(tensor);
    }
  return outputs;
}

Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors) {
  if (auto checked = check_request(graph, tensors); !checked) return std::move(checked).error();
  if (graph.format == "onnx") return promote_onnx(graph, file, tensors);
  auto parsed = parse_tflite(file, "the model");
  if (!parsed) return std::move(parsed).error();
  if (parsed->outputs_slot == 0)
    return Error{Fault::kUnsupported, "the model's main graph has no list of outputs to add intermediates to"};
  const std::vector<int> outputs = promoted_outputs(graph, tensors);
  const std::size_t added = 4 * outputs.size() + parsed->vtable_size + 16;
  if (file.size + added > kMostBytes)
    return Error{Fault::kUnsupported, "the model has " + std::to_string(file.size) +
                                          " bytes, with its intermediates as outputs it would pass the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + added);
  bytes.assign(file.begin(), file.end());
  append_indices(bytes, parsed->outputs_slot, outputs);
  drop_signatures(bytes, *parsed);
  align(bytes);
  auto again = parse_tflite(bytes, "the model with its intermediates as outputs");
  if (!again) return std::move(again).error();
  if (!is_promoted(graph, again->graph, outputs))
    return Error{Fault::kUnsupported,
                 "the model's tables overlap, so that adding outputs changes more than the list of outputs"};
  return bytes;
}

}  // namespace edgeprobe::model
