// SPDX-License-Identifier: Apache-2.0
#include "pipeline/told_types.h"

#include <utility>
#include <vector>

#include "model/format.h"

namespace edgeprobe::pipeline {

Result<std::optional<TypedModel>> told_types(const model::Graph& graph, ByteView file,
                                             engine::Engine& engine, const std::string& label,
                                             const engine::SessionOptions& options,
                                             const std::filesystem::path& folder) {
  const std::optional<TypedModel> nothing;
  const std::vector<int> open = model::untyped(graph);
  if (open.empty()) return nothing;
  const auto shown = model::promote_untyped(graph, file);
  if (!shown) return nothing;
  const auto session = engine.load(*shown, label, options);
  if (!session) return nothing;
  const std::vector<int> outputs = model::promoted_outputs(graph, open);
  const std::vector<TensorSpec>& told = (*session)->outputs();
  if (told.size() != outputs.size()) return nothing;
  std::vector<TensorSpec> types;
  for (std::size_t i = graph.outputs.size(); i < outputs.size(); ++i) {
    const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(outputs[i])].spec;
    if (told[i].dtype != DType::kOther) types.push_back({spec.name, told[i].dtype, {}, {}});
  }
  if (types.empty()) return nothing;
  TypedModel typed;
  EP_TRY(typed.file, model::with_types(graph, file, types));
  EP_TRY(typed.graph, model::read_unhashed(typed.file, label, folder));
  typed.graph.sha256 = graph.sha256;
  typed.graph.file_size = graph.file_size;
  return std::optional(std::move(typed));
}

}  // namespace edgeprobe::pipeline
