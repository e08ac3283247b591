// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/model_file.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/file.h"
#include "core/text.h"
#include "engine/named_file.h"
#include "model/format.h"

namespace edgeprobe::engine::openvino {
namespace {

bool is_xml(ByteView bytes) {
  const std::string_view text = bytes.text();
  const auto start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return start != std::string_view::npos && text[start] == '<';
}

Result<ReadModel> hand_over(const Runtime& runtime, const EpOvFile& file) {
  char text[2048] = "";
  EpOvMessage message{text, sizeof text};
  EpOvModel* const model = runtime.table->read(runtime.core, &file, &message);
  if (!model) return Error{ErrorKind::kUnsupported, reason(text)};
  return ReadModel(model, runtime.table->forget);
}

Result<ReadModel> read_tflite(const Runtime& runtime, ByteView bytes) {
  EP_TRY(const auto named, NamedFile::create(bytes, "model.tflite"));
  return hand_over(runtime, {named.path().c_str(), nullptr, 0, nullptr, 0});
}

Result<ReadModel> read_ir(const Runtime& runtime, ByteView xml, std::string_view label,
                          const std::filesystem::path& folder) {
  if (folder.empty())
    return Error{
        ErrorKind::kUsage,
        "its weights are in a .bin file next to it, and the folder of the model was not given"};
  const auto path = folder / std::filesystem::path(label).filename().replace_extension(".bin");
  std::error_code ignored;
  // A model with all constants in the .xml has no .bin.
  if (!std::filesystem::exists(path, ignored))
    return Error{ErrorKind::kNotFound, "its weights are expected in '" +
                                           sanitized(path.string(), 300) +
                                           "', which does not exist"};
  EP_TRY(const auto weights, MappedFile::open(path));
  // OpenVINO takes null for "none", and an empty file has no mapping.
  const void* const data =
      weights.bytes().data ? static_cast<const void*>(weights.bytes().data) : "";
  return hand_over(runtime, {nullptr, xml.data, xml.size, data, weights.bytes().size});
}

/// For a file in memory, OpenVINO looks for external data in the working folder. A thread can have
/// its own working folder.
Result<ReadModel> read_in(const std::filesystem::path& folder, const Runtime& runtime,
                          const EpOvFile& file) {
  Result<ReadModel> model = Error{ErrorKind::kTarget, ""};
  std::thread([&] {
    if (::unshare(CLONE_FS) != 0 || ::chdir(folder.c_str()) != 0)
      model = Error{ErrorKind::kTarget, "folder '" + sanitized(folder.string(), 300) +
                                            "' cannot be entered: " + std::strerror(errno)};
    else model = hand_over(runtime, file);
  }).join();
  return model;
}

Result<ReadModel> read_onnx(const Runtime& runtime, const ModelFile& file) {
  const EpOvFile bytes{nullptr, file.bytes.data, file.bytes.size, nullptr, 0};
  const auto& tensors = file.graph->tensors;
  if (std::none_of(tensors.begin(), tensors.end(),
                   [](const auto& tensor) { return !tensor.external_file.empty(); }))
    return hand_over(runtime, bytes);
  if (file.graph->folder.empty())
    return Error{ErrorKind::kUsage,
                 "it keeps values outside of the file, and the folder of the model was not given"};
  return read_in(file.graph->folder, runtime, bytes);
}

}  // namespace

Result<ModelFile> recognise(ByteView bytes, std::string_view label,
                            const std::filesystem::path& folder) {
  if (is_xml(bytes)) return ModelFile{bytes, "openvino-ir", std::nullopt};
  EP_TRY(auto graph, model::read_unhashed(bytes, label, folder));
  std::string format = graph.format;
  return ModelFile{bytes, std::move(format), std::move(graph)};
}

Result<ReadModel> read(const Runtime& runtime, const ModelFile& file, std::string_view label,
                       const std::filesystem::path& folder) {
  if (file.format == "tflite") return read_tflite(runtime, file.bytes);
  if (file.format == "openvino-ir") return read_ir(runtime, file.bytes, label, folder);
  return read_onnx(runtime, file);
}

std::optional<LayerSource> LayerSource::create(const Runtime& runtime, const ModelFile& file) {
  if (!file.graph) return std::nullopt;
  const model::Graph& graph = *file.graph;
  std::vector<std::int32_t> producer(graph.tensors.size(), -1);
  for (const model::Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0) producer[static_cast<std::size_t>(output)] = layer.index;
  if (file.format != "tflite") {
    LayerSource source(ReadModel(nullptr, runtime.table->forget));
    for (std::size_t i = 0; i < producer.size(); ++i) {
      if (producer[i] < 0 || graph.tensors[i].spec.name.empty()) continue;
      source.names_.push_back(graph.tensors[i].spec.name);
      source.layers_.push_back(producer[i]);
    }
    return source;
  }
  // OpenVINO drops the names of most tensors of a .tflite when it converts it to its own layout;
  // those of outputs stay.
  const auto tensors = model::capturable(graph);
  const auto promoted = model::promote(graph, file.bytes, tensors);
  if (!promoted) return std::nullopt;
  auto model = read_tflite(runtime, *promoted);
  if (!model) return std::nullopt;
  LayerSource source(*std::move(model));
  for (const int tensor : model::promoted_outputs(graph, tensors))
    source.layers_.push_back(producer[static_cast<std::size_t>(tensor)]);
  return source;
}

EpOvLayers LayerSource::view() const {
  auto& pointers = const_cast<LayerSource*>(this)->pointers_;
  pointers.clear();
  for (const std::string& name : names_) pointers.push_back(name.c_str());
  return {promoted_.get(), pointers.data(), layers_.data(), layers_.size()};
}

}  // namespace edgeprobe::engine::openvino
