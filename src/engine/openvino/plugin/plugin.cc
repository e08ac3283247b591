// SPDX-License-Identifier: Apache-2.0
// OpenVINO as an engine with the C ABI: the exported table.
#include <cstdio>

#include "core/text.h"
#include "engine/native/abi.h"
#include "engine/openvino/plugin/attempt.h"
#include "engine/openvino/plugin/session.h"

namespace edgeprobe::engine::openvino {
namespace {

/// Calls `work`, which returns a Status and may throw; fails as edgeprobe_plugin.h demands.
template <class Work>
int answered(char* message, Work&& work) {
  const auto done = attempt(ErrorKind::kTarget, std::forward<Work>(work));
  const Error* const error = !done ? &done.error() : !*done ? &done->error() : nullptr;
  if (!error) return 0;
  std::snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "%s", error->what.c_str());
  return native::code_of(error->kind);
}

/// Never destroyed: its threads may outlive what is destroyed when the process ends.
ov::Core& core() {
  static auto* const made = new ov::Core;
  return *made;
}

int open(char* message) {
  return answered(message, [] {
    core();
    return Status();
  });
}

int load(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model, char* message) {
  return answered(message, [&]() -> Status {
    EP_TRY(auto session, Session::load(core(), *request));
    session->describe(*model);
    model->state = static_cast<Runner*>(session.release());
    return {};
  });
}

int run(void* state, const void* const* inputs, edgeprobe_plugin_value* outputs,
        std::int64_t* nanoseconds, char* message) {
  return answered(message, [&] {
    *nanoseconds = static_cast<Runner*>(state)->run(inputs, outputs);
    return Status();
  });
}

Session& session_of(void* state) { return *static_cast<Session*>(static_cast<Runner*>(state)); }

int times(void* state, std::int64_t* nanoseconds, char* message) {
  return answered(message, [&] {
    session_of(state).times(nanoseconds);
    return Status();
  });
}

void* bind(void* state, const void* const* inputs, const edgeprobe_plugin_value* outputs) {
  auto bound = attempt(ErrorKind::kTarget, [&] { return session_of(state).bind(inputs, outputs); });
  return bound ? bound->release() : nullptr;
}

void destroy(void* state) { delete static_cast<Runner*>(state); }

/// "2026.4.1-22982-e213a147257-releases/2026/4" -> "2026.4.1-22982": without the branch.
std::string short_version() {
  const std::string text = sanitized(ov::get_openvino_version().buildNumber);
  const auto first = text.find('-');
  return first == std::string::npos ? text : text.substr(0, text.find('-', first + 1));
}

}  // namespace
}  // namespace edgeprobe::engine::openvino

const edgeprobe_plugin_engine* edgeprobe_plugin(std::uint32_t version) {
  namespace own = edgeprobe::engine::openvino;
  static const std::string engine_version = own::short_version();
  static const char* const formats[] = {".onnx", ".tflite", ".xml"};
  static const edgeprobe_plugin_engine engine = [] {
    edgeprobe_plugin_engine e{};
    e.struct_size = sizeof e;
    e.version = EDGEPROBE_PLUGIN_VERSION;
    e.flags = EDGEPROBE_PLUGIN_THREADS | EDGEPROBE_PLUGIN_PRECISION | EDGEPROBE_PLUGIN_BYTES;
    e.name = "openvino";
    e.engine_version = engine_version.c_str();
    e.help = "OpenVINO on the CPU";
    e.formats = formats;
    e.format_count = std::size(formats);
    e.open = own::open;
    e.load = own::load;
    e.run = own::run;
    e.times = own::times;
    e.bind = own::bind;
    e.destroy = own::destroy;
    return e;
  }();
  return version == EDGEPROBE_PLUGIN_VERSION ? &engine : nullptr;
}
