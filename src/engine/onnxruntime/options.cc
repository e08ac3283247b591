// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/runtime.h"

#include "core/text.h"
#include "engine/vulkan_driver.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

int number_of(Optimization level) {
  switch (level) {
    case Optimization::kOff: return 0;
    case Optimization::kBasic: return 1;
    case Optimization::kExtended: return 2;
    case Optimization::kAll:
    case Optimization::kFile: return 99;
  }
  return 99;
}

/// The calling thread is one of the threads, and its caller pins it; the others are listed here,
/// with CPUs counted from 1.
std::string affinities_of(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 1; i < cpus.size(); ++i)
    text += (i > 1 ? ";" : "") + std::to_string(cpus[i] + 1);
  return text;
}

/// The provider of each requested delegate. ONNX Runtime does not report which operators it chose.
Status append_providers(Runtime& runtime, const SessionOptions& options, CSessionOptions* into,
                        std::vector<Delegation>& delegations) {
  for (const Delegate& delegate : options.delegates) {
    if (delegate.kind != Delegate::Kind::kExternal)
      return Error{ErrorKind::kUnsupported,
                   "delegate '" + name_of(delegate) +
                       "' belongs to TFLite; ONNX Runtime takes execution providers, each by its "
                       "library, as external:LIB"};
    EP_TRY(const auto provider, runtime.provider(delegate.library));
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : delegate.options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    const std::string failed = runtime.reason(runtime.api().append_provider(
        into, runtime.environment(), provider.devices.data(), provider.devices.size(), keys.data(),
        values.data(), keys.size()));
    if (!failed.empty())
      return Error{ErrorKind::kUnsupported, "execution provider '" +
                                                sanitized(delegate.library.string(), 300) +
                                                "' refuses its options or this device: " + failed};
    delegations.push_back({labelled_delegate(provider.name), 0, 0, {}});
  }
  return {};
}

Status add_custom_ops(Runtime& runtime, const SessionOptions& options, CSessionOptions* into) {
  for (const std::filesystem::path& given : options.custom_ops) {
    std::error_code ignored;
    const auto path = std::filesystem::absolute(given, ignored);
    const auto library = SharedLibrary::open(path);
    if (!library) return Error(library.error()).during("custom operators");
    // Checked here because ONNX Runtime's own message does not say that the file is something else.
    SymbolReader symbols(*library);
    void (*entry)() = nullptr;
    symbols.required(entry, "RegisterCustomOps");
    EP_CHECK(symbols.complete("a library of custom operators for ONNX Runtime"));
    if (const std::string failed =
            runtime.reason(runtime.api().register_custom_ops(into, path.c_str()));
        !failed.empty())
      return Error{ErrorKind::kUnsupported, "custom operators '" + sanitized(given.string(), 300) +
                                                "' cannot be registered: " + failed};
  }
  return {};
}

}  // namespace

Result<Owned<CSessionOptions>> create_options(Runtime& runtime, const SessionOptions& options,
                                              std::vector<Delegation>& delegations,
                                              std::vector<std::string>& warnings) {
  const Api& api = runtime.api();
  const auto chosen = own<OnnxRuntimeOptions>(options);
  Owned<CSessionOptions> created(api.release_session_options);
  std::string failed = runtime.reason(api.create_session_options(created.slot()));
  CSessionOptions* const into = created.get();
  const auto then = [&](auto&& call) {
    if (failed.empty()) failed = runtime.reason(call());
  };
  then([&] { return api.set_severity(into, kLogFatal); });
  then([&] { return api.set_optimization(into, number_of(chosen.optimization)); });
  if (chosen.optimization == Optimization::kFile)
    then([&] { return api.add_config(into, "session.disable_quant_qdq", "1"); });
  then([&] { return api.set_execution_mode(into, chosen.parallel ? kParallel : kSequential); });
  then([&] { return api.set_intra_threads(into, options.threads); });
  then([&] { return api.set_inter_threads(into, chosen.parallel ? options.threads : 1); });
  if (!chosen.spinning)
    then([&] { return api.add_config(into, "session.intra_op.allow_spinning", "0"); });
  if (options.threads > 1 && options.cpus.size() == static_cast<std::size_t>(options.threads))
    then([&] {
      return api.add_config(into, "session.intra_op_thread_affinities",
                            affinities_of(options.cpus).c_str());
    });
  if (options.precision == Precision::kEngine)
    then([&] { return api.add_config(into, "mlas.enable_gemm_fastmath_arm64_bfloat16", "1"); });
  // By default the library would search in the process's working folder.
  std::error_code ignored;
  const std::string folder = options.folder.empty()
                                 ? kNoFolder
                                 : std::filesystem::absolute(options.folder, ignored).string();
  then([&] {
    return api.add_config(into, "session.model_external_initializers_file_folder_path",
                          folder.c_str());
  });
  if (!failed.empty())
    return Error{ErrorKind::kTarget, "ONNX Runtime does not take its options: " + failed};
  EP_CHECK(add_custom_ops(runtime, options, into));
  EP_CHECK(append_providers(runtime, options, into, delegations));
  if (!delegations.empty())
    warnings.push_back(
        "ONNX Runtime does not report which operators a provider took; the times of operators name "
        "it");
  return created;
}

}  // namespace edgeprobe::engine::onnxruntime
