// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/runtime.h"

#include <utility>

#include "core/text.h"
#include "engine/litert/delegation.h"

namespace edgeprobe::engine::litert {
namespace {

EnvironmentOption number_option(std::int32_t tag, int value) {
  EnvironmentOption option{tag, kTypeInt, {}};
  option.value.number = value;
  return option;
}

}  // namespace

Result<std::shared_ptr<Runtime>> Runtime::start(SharedLibrary library, const Api& api, bool tried) {
  std::shared_ptr<Runtime> runtime(new Runtime(std::move(library), api, tried));
  const EnvironmentOption options[] = {number_option(kTagAutoRegister, kCpu),
                                       number_option(kTagMinSeverity, kSilent)};
  if (const int status = api.create_environment(2, options, &runtime->environment_); status != kOk)
    return Error{ErrorKind::kTarget, "LiteRT cannot start: " + status_text(status)};
  runtime->tells_delegation_ = tried && PlanWatch::install(api, runtime->environment_);
  return runtime;
}

Runtime::~Runtime() {
  for (const auto& [folder, environment] : gpu_environments_) api_.destroy_environment(environment);
  if (environment_) api_.destroy_environment(environment_);
}

/// LiteRT silently starts without an accelerator that it cannot open.
bool Runtime::has_gpu(CEnvironment* environment) const {
  std::size_t count = 0;
  if (api_.accelerator_count(environment, &count) != kOk) return false;
  for (std::size_t i = 0; i < count; ++i) {
    CAccelerator* accelerator = nullptr;
    int hardware = 0;
    if (api_.accelerator(environment, i, &accelerator) == kOk &&
        api_.accelerator_hardware(accelerator, &hardware) == kOk && (hardware & kGpu) != 0)
      return true;
  }
  return false;
}

Result<CEnvironment*> Runtime::gpu_environment(const std::filesystem::path& folder) {
  if (const auto open = gpu_environments_.find(folder); open != gpu_environments_.end())
    return open->second;
  if (!api_.tells_accelerators())
    return Error{ErrorKind::kUnsupported,
                 "this LiteRT library does not report its accelerators, so none is used"};
  EnvironmentOption where{kTagRuntimeFolder, kTypeText, {}};
  where.value.text = folder.c_str();
  const EnvironmentOption options[] = {where, number_option(kTagAutoRegister, kCpu | kGpu),
                                       number_option(kTagMinSeverity, kSilent)};
  CEnvironment* environment = nullptr;
  if (const int status = api_.create_environment(3, options, &environment); status != kOk)
    return Error{ErrorKind::kTarget,
                 "LiteRT cannot start with its GPU accelerator: " + status_text(status)};
  if (!has_gpu(environment)) {
    api_.destroy_environment(environment);
    return Error{ErrorKind::kUnsupported,
                 "LiteRT takes no GPU accelerator from '" + sanitized(folder.string(), 300) +
                     "'; take the one of the same wheel, ai-edge-litert==2.3.0"};
  }
  if (tells_delegation_) PlanWatch::install(api_, environment);
  gpu_environments_[folder] = environment;
  return environment;
}

}  // namespace edgeprobe::engine::litert
