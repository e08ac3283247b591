// SPDX-License-Identifier: Apache-2.0
#include "model/same.h"
#include "model/tflite/patch.h"
#include "model/tflite/tflite.h"

namespace edgeprobe::model {
namespace {

// Checks that the patch did what it should and left the rest unchanged.
bool is_promoted(const Graph& before, const Graph& after, const std::vector<int>& outputs) {
  return after.outputs == outputs && after.inputs == before.inputs && after.signatures.empty() &&
         after.subgraph_count == before.subgraph_count && after.metadata == before.metadata &&
         same_all(after.tensors, before.tensors) && same_all(after.layers, before.layers);
}

}  // namespace

Result<Bytes> promote_tflite(const Graph& graph, ByteView file, const std::vector<int>& tensors) {
  EP_TRY(auto parsed, parse_tflite(file, "the model"));
  if (parsed.outputs_slot == 0)
    return Error{ErrorKind::kUnsupported,
                 "the model's main graph has no list of outputs to add intermediates to"};
  const std::vector<int> outputs = promoted_outputs(graph, tensors);
  const std::size_t added = 4 * outputs.size() + parsed.vtable_size + 16;
  if (file.size + added > kMostBytes)
    return Error{ErrorKind::kUnsupported,
                 "the model has " + std::to_string(file.size) +
                     " bytes, with its intermediates as outputs it would exceed the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + added);
  bytes.assign(file.begin(), file.end());
  append_indices(bytes, parsed.outputs_slot, outputs);
  drop_signatures(bytes, parsed);
  align(bytes);
  EP_TRY(auto again, parse_tflite(bytes, "the model with its intermediates as outputs"));
  if (!is_promoted(graph, again.graph, outputs))
    return Error{
        ErrorKind::kUnsupported,
        "the model's tables overlap, so that adding outputs changes more than the list of outputs"};
  return bytes;
}

}  // namespace edgeprobe::model
