// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/runtime.h"

#include <algorithm>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

/// Some reasons begin with a position in ONNX Runtime's sources, "/x/y.cc:46 void f(int, g(int)) ",
/// which is of no use to the user.
std::string_view without_place(std::string_view text) {
  if (!text.starts_with('/')) return text;
  const auto open = text.find('(');
  const auto line = text.find(':');
  if (open == std::string_view::npos || line == std::string_view::npos || line > open) return text;
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth > 0) continue;
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with(" const ")) rest.remove_prefix(6);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    return rest.empty() ? text : rest;
  }
  return text;
}

}  // namespace

Result<std::shared_ptr<Runtime>> Runtime::start(SharedLibrary library, const Api& api,
                                                std::string version) {
  std::shared_ptr<Runtime> runtime(new Runtime(std::move(library), api, std::move(version)));
  runtime->environment_ = Owned<CEnv>(api.release_env);
  runtime->memory_ = Owned<CMemoryInfo>(api.release_memory_info);
  // Logs only fatal errors: all other failures are returned as a status, and warnings would fill
  // the output of an app that embeds this.
  std::string failed =
      runtime->reason(api.create_env(kLogFatal, "edgeprobe", runtime->environment_.slot()));
  if (failed.empty()) failed = runtime->reason(api.disable_telemetry(runtime->environment()));
  if (failed.empty())
    failed = runtime->reason(
        api.create_memory_info(kDeviceAllocator, kDefaultMemory, runtime->memory_.slot()));
  if (failed.empty()) failed = runtime->reason(api.allocator(&runtime->allocator_));
  if (!failed.empty()) return Error{ErrorKind::kTarget, "ONNX Runtime cannot start: " + failed};
  return runtime;
}

Runtime::~Runtime() {
  for (const auto& [path, provider] : providers_)
    static_cast<void>(reason(api_.unregister_provider(environment(), path.c_str())));
}

std::string Runtime::reason(CStatus* status) const {
  if (!status) return {};
  const char* const text = api_.error_message(status);
  std::string sentence = one_sentence(without_place(text ? text : ""));
  api_.release_status(status);
  return sentence.empty() ? "it gives no reason" : sentence;
}

Result<std::vector<const CEpDevice*>> Runtime::devices() const {
  const CEpDevice* const* list = nullptr;
  std::size_t count = 0;
  if (const std::string failed = reason(api_.provider_devices(environment(), &list, &count));
      !failed.empty())
    return Error{ErrorKind::kTarget, "ONNX Runtime does not report its devices: " + failed};
  return std::vector<const CEpDevice*>(list, list + count);
}

Result<Runtime::Provider> Runtime::provider(const std::filesystem::path& given) {
  const std::string shown = "'" + sanitized(given.string(), 300) + "'";
  if (!api_.takes_providers())
    return Error{ErrorKind::kUnsupported, "execution provider " + shown + ": ONNX Runtime " +
                                              version_ +
                                              " takes none from a library; that came with 1.22"};
  std::error_code ignored;
  const auto path = std::filesystem::absolute(given, ignored);
  if (const auto known = providers_.find(path); known != providers_.end()) return known->second;
  const auto library = SharedLibrary::open(path);
  if (!library) return Error(library.error()).during("execution provider");
  // Checked here because ONNX Runtime's own message does not say that the file is something else.
  SymbolReader symbols(*library);
  void (*entry)() = nullptr;
  symbols.required(entry, "CreateEpFactories");
  symbols.required(entry, "ReleaseEpFactory");
  EP_CHECK(symbols.complete("an execution provider of ONNX Runtime"));

  EP_TRY(const auto before, devices());
  if (const std::string failed =
          reason(api_.register_provider(environment(), path.c_str(), path.c_str()));
      !failed.empty())
    return Error{ErrorKind::kUnsupported,
                 "execution provider " + shown + " cannot be registered: " + failed};
  EP_TRY(const auto after, devices());
  Provider provider;
  for (const CEpDevice* const device : after) {
    if (std::find(before.begin(), before.end(), device) != before.end()) continue;
    const char* const name = api_.provider_name(device);
    if (provider.devices.empty()) provider.name = sanitized(name ? name : "");
    // All devices of one session must belong to one provider.
    if (provider.name == sanitized(name ? name : "")) provider.devices.push_back(device);
  }
  if (provider.devices.empty()) {
    static_cast<void>(reason(api_.unregister_provider(environment(), path.c_str())));
    return Error{ErrorKind::kUnsupported, "execution provider " + shown +
                                              " finds no device on this machine that it can use"};
  }
  return providers_.emplace(path, std::move(provider)).first->second;
}

}  // namespace edgeprobe::engine::onnxruntime
