// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/api.h"

#include "core/text.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

/// Slots of the table. The first 239 are those of 1.14; each later one belongs to the version named
/// with it.
class Table {
 public:
  Table(const void* slots, Version version)
      : slots_(static_cast<void* const*>(slots)), version_(version) {}

  template <class F>
  void take(F*& function, std::size_t slot) const {
    function = reinterpret_cast<F*>(slots_[slot]);
  }
  /// Null if the library is older than 1.`since`: reading past the end of its table would return an
  /// arbitrary address.
  template <class F>
  void take_since(F*& function, std::size_t slot, int since) const {
    function = version_.major == 1 && version_.minor >= since ? reinterpret_cast<F*>(slots_[slot])
                                                              : nullptr;
  }
  const Version& version() const { return version_; }

 private:
  void* const* slots_;
  Version version_;
};

}  // namespace

Result<const Base*> base_of(const SharedLibrary& library) {
  SymbolReader symbols(library);
  const Base* (*get_base)() = nullptr;
  symbols.required(get_base, "OrtGetApiBase");
  EP_CHECK(symbols.complete("an ONNX Runtime library"));
  const Base* const base = get_base();
  if (!base || !base->get_api || !base->version)
    return Error{ErrorKind::kUnsupported, "library '" + sanitized(library.path().string(), 300) +
                                              "' exports OrtGetApiBase but gives no interface"};
  return base;
}

Result<Api> bind(const Base& base, const SharedLibrary& library) {
  const char* const told = base.version();
  const std::string version = sanitized(told ? told : "");
  const void* const slots = base.get_api(kTableVersion);
  if (!slots)
    return Error{ErrorKind::kUnsupported, "library '" + sanitized(library.path().string(), 300) +
                                              "' is ONNX Runtime " + version +
                                              "; edgeprobe needs 1.14 or newer"};
  const Table table(slots, version_of(version));
  Api api{};
  table.take(api.error_message, 2);
  table.take(api.create_env, 3);
  table.take(api.disable_telemetry, 6);
  table.take(api.create_session, 8);
  table.take(api.run, 9);
  table.take(api.create_session_options, 10);
  table.take(api.set_optimized_model_path, 11);
  table.take(api.set_execution_mode, 13);
  table.take(api.set_severity, 22);
  table.take(api.set_optimization, 23);
  table.take(api.set_intra_threads, 24);
  table.take(api.set_inter_threads, 25);
  table.take(api.input_count, 30);
  table.take(api.output_count, 31);
  table.take(api.input_type, 33);
  table.take(api.output_type, 34);
  table.take(api.input_name, 36);
  table.take(api.output_name, 37);
  table.take(api.create_run_options, 39);
  table.take(api.create_tensor, 49);
  table.take(api.value_data, 51);
  table.take(api.tensor_info, 55);
  table.take(api.type_kind, 56);
  table.take(api.element_type, 60);
  table.take(api.rank, 61);
  table.take(api.dimensions, 62);
  table.take(api.dimension_names, 63);
  table.take(api.value_info, 65);
  table.take(api.value_kind, 67);
  table.take(api.create_memory_info, 69);
  table.take(api.allocator_free, 76);
  table.take(api.allocator, 78);
  table.take(api.release_env, 92);
  table.take(api.release_status, 93);
  table.take(api.release_memory_info, 94);
  table.take(api.release_session, 95);
  table.take(api.release_value, 96);
  table.take(api.release_run_options, 97);
  table.take(api.release_type, 98);
  table.take(api.release_tensor_info, 99);
  table.take(api.release_session_options, 100);
  table.take(api.add_config, 130);
  table.take(api.register_custom_ops, 228);

  table.take_since(api.register_provider, 301, 22);
  table.take_since(api.unregister_provider, 302, 22);
  table.take_since(api.provider_devices, 303, 22);
  table.take_since(api.append_provider, 304, 22);
  table.take_since(api.provider_name, 312, 22);
  // Profiles of single runs exist since 1.25. Only the slot's number identifies this function, and
  // calling another one could do anything, so untested newer libraries do without it.
  if (kTriedVersions.has(table.version())) table.take_since(api.enable_run_profile, 415, 25);
  return api;
}

}  // namespace edgeprobe::engine::onnxruntime
