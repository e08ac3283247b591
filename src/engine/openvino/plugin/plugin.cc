// SPDX-License-Identifier: Apache-2.0
// The exported functions: each turns OpenVINO's exceptions into messages.
#include <cstdio>
#include <exception>

#include "engine/openvino/plugin/bound.h"
#include "engine/openvino/plugin/model.h"
#include "engine/openvino/plugin/session.h"

namespace {

/// Returns the result of `work`, or `otherwise` and the reason.
template <class Work, class Value>
Value guarded(EpOvMessage* message, Value otherwise, Work&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    std::snprintf(message->text, message->room, "%s", error.what());
  } catch (...) {
    std::snprintf(message->text, message->room, "OpenVINO threw something without a message");
  }
  return otherwise;
}

const char* built_for() {
  static const std::string version = std::to_string(OPENVINO_VERSION_MAJOR) + "." +
                                     std::to_string(OPENVINO_VERSION_MINOR) + "." +
                                     std::to_string(OPENVINO_VERSION_PATCH);
  return version.c_str();
}

EpOvCore* open(EpOvMessage* message) {
  return guarded(message, static_cast<EpOvCore*>(nullptr), [] { return new EpOvCore; });
}
void close(EpOvCore* core) { delete core; }

EpOvModel* read(EpOvCore* core, const EpOvFile* file, EpOvMessage* message) {
  return guarded(message, static_cast<EpOvModel*>(nullptr), [&] {
    if (file->path) return new EpOvModel(core->core.read_model(std::string(file->path)));
    ov::Tensor weights;
    if (file->weights) {
      weights = ov::Tensor(ov::element::u8, {file->weights_size});
      std::memcpy(weights.data(), file->weights, file->weights_size);
    }
    return new EpOvModel(core->core.read_model(
        std::string(static_cast<const char*>(file->data), file->size), weights));
  });
}
void forget(EpOvModel* model) { delete model; }
size_t model_ports(const EpOvModel* model, int outputs) {
  return outputs ? model->outputs.size() : model->inputs.size();
}
EpOvPort model_port(const EpOvModel* model, int outputs, size_t index) {
  return (outputs ? model->outputs : model->inputs)[index].view();
}

EpOvSession* compile(EpOvCore* core, EpOvModel* model, const EpOvOptions* options,
                     EpOvMessage* message) {
  return guarded(message, static_cast<EpOvSession*>(nullptr),
                 [&] { return new EpOvSession(*core, *model, *options); });
}
void end(EpOvSession* session) { delete session; }
EpOvPort port(const EpOvSession* session, int outputs, size_t index) {
  return (outputs ? session->outputs : session->inputs)[index].view();
}
size_t kernels(const EpOvSession* session) { return session->kernels.size(); }
EpOvKernel kernel(const EpOvSession* session, size_t index) {
  const auto& text = session->kernels[index];
  return {text.name.c_str(),      text.type.c_str(),  text.primitive.c_str(),
          text.precision.c_str(), text.layers.data(), text.layers.size()};
}

int64_t infer(EpOvSession* session, const EpOvBuffer* inputs, EpOvMessage* message) {
  return guarded(message, int64_t{-1}, [&] { return session->infer(inputs); });
}
int output(EpOvSession* session, size_t index, EpOvPort* shape, EpOvBuffer* values,
           EpOvMessage* message) {
  return guarded(message, 0, [&] {
    session->output(index, *shape, *values);
    return 1;
  });
}
int times(EpOvSession* session, int64_t* nanoseconds, EpOvMessage* message) {
  return guarded(message, 0, [&] {
    session->times(nanoseconds);
    return 1;
  });
}

EpOvBound* bind(EpOvSession* session, const EpOvPlace* inputs, const EpOvPlace* outputs,
                EpOvMessage* message) {
  return guarded(message, static_cast<EpOvBound*>(nullptr),
                 [&] { return new EpOvBound(*session, inputs, outputs); });
}
int run(EpOvBound* bound, EpOvMessage* message) {
  return guarded(message, 0, [&] {
    bound->run();
    return 1;
  });
}
void unbind(EpOvBound* bound) { delete bound; }

constexpr EpOvTable kTable = {built_for,  open,    close, read, forget,  model_ports,
                              model_port, compile, end,   port, kernels, kernel,
                              infer,      output,  times, bind, run,     unbind};

}  // namespace

extern "C" __attribute__((visibility("default"))) const EpOvTable* edgeprobe_openvino_plugin(
    uint32_t version) {
  return version == edgeprobe::engine::openvino::kBorderVersion ? &kTable : nullptr;
}
