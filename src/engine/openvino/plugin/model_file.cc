// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/model_file.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/file.h"
#include "core/text.h"
#include "engine/named_file.h"
#include "engine/openvino/plugin/attempt.h"
#include "model/format.h"

namespace edgeprobe::engine::openvino {
namespace {

bool is_xml(ByteView bytes) {
  const std::string_view text = bytes.text();
  const auto start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return start != std::string_view::npos && text[start] == '<';
}

using Model = std::shared_ptr<ov::Model>;

Result<Model> hand_over(ov::Core& core, ByteView bytes, const ov::Tensor& weights = {}) {
  return attempt(ErrorKind::kUnsupported,
                 [&] { return core.read_model(std::string(bytes.text()), weights); });
}

Result<Model> read_tflite(ov::Core& core, ByteView bytes) {
  EP_TRY(const auto named, NamedFile::create(bytes, "model.tflite"));
  return attempt(ErrorKind::kUnsupported, [&] { return core.read_model(named.path().string()); });
}

Result<Model> read_ir(ov::Core& core, const ModelFile& file) {
  if (file.folder.empty())
    return Error{
        ErrorKind::kUsage,
        "its weights are in a .bin file next to it, and the folder of the model was not given"};
  const auto path = file.folder / std::filesystem::path(file.name).replace_extension(".bin");
  std::error_code ignored;
  // A model with all constants in the .xml has no .bin.
  if (!std::filesystem::exists(path, ignored))
    return Error{ErrorKind::kNotFound, "its weights are expected in '" +
                                           sanitized(path.string(), 300) +
                                           "', which does not exist"};
  EP_TRY(const auto stored, MappedFile::open(path));
  EP_TRY(const auto weights, attempt(ErrorKind::kUnsupported, [&] {
           ov::Tensor tensor(ov::element::u8, {stored.bytes().size});
           if (!stored.bytes().empty())
             std::memcpy(tensor.data(), stored.bytes().data, stored.bytes().size);
           return tensor;
         }));
  return hand_over(core, file.bytes, weights);
}

/// For a file in memory, OpenVINO looks for external data in the working folder. A thread can have
/// its own working folder.
Result<Model> read_in(const std::filesystem::path& folder, ov::Core& core, ByteView bytes) {
  Result<Model> model = Error{ErrorKind::kTarget, ""};
  std::thread([&] {
    if (::unshare(CLONE_FS) != 0 || ::chdir(folder.c_str()) != 0)
      model = Error{ErrorKind::kTarget, "folder '" + sanitized(folder.string(), 300) +
                                            "' cannot be entered: " + std::strerror(errno)};
    else model = hand_over(core, bytes);
  }).join();
  return model;
}

Result<Model> read_onnx(ov::Core& core, const ModelFile& file) {
  const auto& tensors = file.graph->tensors;
  if (std::none_of(tensors.begin(), tensors.end(),
                   [](const auto& tensor) { return !tensor.external_file.empty(); }))
    return hand_over(core, file.bytes);
  if (file.graph->folder.empty())
    return Error{ErrorKind::kUsage,
                 "it keeps values outside of the file, and the folder of the model was not given"};
  return read_in(file.graph->folder, core, file.bytes);
}

}  // namespace

Result<ModelFile> recognise(ByteView bytes, std::string name, std::filesystem::path folder) {
  ModelFile file{bytes, std::move(name), std::move(folder), "openvino-ir", {}};
  if (is_xml(bytes)) return file;
  EP_TRY(file.graph, model::read_unhashed(bytes, file.name, file.folder));
  file.format = file.graph->format;
  return file;
}

Result<Model> read(ov::Core& core, const ModelFile& file) {
  if (file.format == "tflite") return read_tflite(core, file.bytes);
  if (file.format == "openvino-ir") return read_ir(core, file);
  return read_onnx(core, file);
}

std::optional<LayerSource> layer_source(ov::Core& core, const ModelFile& file) {
  if (!file.graph) return std::nullopt;
  const model::Graph& graph = *file.graph;
  std::vector<std::int32_t> producer(graph.tensors.size(), -1);
  for (const model::Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0) producer[static_cast<std::size_t>(output)] = layer.index;
  LayerSource source;
  if (file.format != "tflite") {
    for (std::size_t i = 0; i < producer.size(); ++i) {
      if (producer[i] < 0 || graph.tensors[i].spec.name.empty()) continue;
      source.names.push_back(graph.tensors[i].spec.name);
      source.layers.push_back(producer[i]);
    }
    return source;
  }
  // OpenVINO drops the names of most tensors of a .tflite when it converts it to its own layout;
  // those of outputs stay.
  const auto tensors = model::capturable(graph);
  const auto promoted = model::promote(graph, file.bytes, tensors);
  if (!promoted) return std::nullopt;
  auto model = read_tflite(core, *promoted);
  if (!model) return std::nullopt;
  source.promoted = *std::move(model);
  for (const int tensor : model::promoted_outputs(graph, tensors))
    source.layers.push_back(producer[static_cast<std::size_t>(tensor)]);
  return source;
}

}  // namespace edgeprobe::engine::openvino
