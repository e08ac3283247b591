// SPDX-License-Identifier: Apache-2.0
#include "serve/device.h"

#include <utility>

#include "core/text.h"
#include "engine/kinds.h"
#include "model/format.h"
#include "model/graph.h"

namespace edgeprobe::serve {

Result<engine::Engine*> Device::open(const engine::EngineChoice& choice) {
  auto& opened = engines_[choice.kind];
  if (!opened) {
    EP_TRY(opened, opener_(choice));
  }
  return opened.get();
}

engine::EngineChoice Device::choice_of_format(std::string_view format) const {
  if (options_.engine) return *options_.engine;
  for (const engine::FormatKind& known : engine::file_formats())
    if (format == known.name) return {engine::kind_of(known.default_engine).name, {}};
  return {};
}

Result<engine::Engine*> Device::engine_of_format(std::string_view format) {
  return open(choice_of_format(format));
}

Result<engine::EngineChoice> Device::choice_for(ByteView model, std::string_view label) const {
  if (const auto closed = engine::closed_format(model)) {
    const engine::FormatKind& format = engine::format_of(*closed);
    if (*closed == engine::FileFormat::kOpenVinoIr)
      return Error{ErrorKind::kUnsupported,
                   std::string("a model of format ") + format.name +
                       " is an .xml file with its weights in a second file, which is not sent; "
                       "send the .onnx or .tflite that it was made from"};
    if (!options_.allow_native_models)
      return Error{ErrorKind::kUnsupported,
                   std::string("a model of format ") + format.name +
                       " is native code, which this server runs only when its operator starts it "
                       "with --allow-native-models"};
    return options_.engine.value_or(
        engine::EngineChoice{engine::kind_of(format.default_engine).name, {}});
  }
  EP_TRY(const auto graph, model::read_unhashed(model, label, {}));
  // Not left to the engines: some would open a file by its absolute path.
  for (const model::ModelTensor& tensor : graph.tensors)
    if (tensor.storage == model::ModelTensor::Storage::kExternal)
      return Error{ErrorKind::kUnsupported,
                   "the model keeps values outside of its file, in '" +
                       sanitized(tensor.external_file) +
                       "'; a server opens no file that a client names: store them in the model"};
  if (options_.engine)
    if (const engine::EngineKind* const kind = engine::find_kind(options_.engine->kind))
      EP_CHECK(engine::check_format(*kind, graph.format, label));
  return choice_of_format(graph.format);
}

Result<engine::Engine*> Device::engine_for(ByteView model, std::string_view label) {
  EP_TRY(const auto choice, choice_for(model, label));
  return open(choice);
}

Result<std::unique_ptr<engine::Session>> Device::load(ByteView model, std::string_view label,
                                                      const engine::SessionOptions& options) {
  EP_TRY(const auto engine, engine_for(model, label));
  return engine->load(model, label, options);
}

}  // namespace edgeprobe::serve
