// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/delegates.h"

#include <cstring>
#include <optional>
#include <vector>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine::tflite {
namespace {

/// Collects the messages of a delegate's library while it creates the delegate. The callback has no
/// user pointer, hence the thread-local one.
class PluginMessages {
 public:
  PluginMessages() { current = this; }
  PluginMessages(const PluginMessages&) = delete;
  PluginMessages& operator=(const PluginMessages&) = delete;
  ~PluginMessages() { current = nullptr; }

  static void add(const char* message) {
    if (current && message && current->text_.size() < 4096)
      current->text_ += std::string(message) + "\n";
  }
  std::string reason() const { return text_.empty() ? "" : ": " + one_sentence(text_); }

 private:
  static thread_local PluginMessages* current;
  std::string text_;
};
thread_local PluginMessages* PluginMessages::current = nullptr;

/// Calls the delegate's library directly: TFLite's own wrapper dereferences a null pointer if the
/// library refuses, and discards its message.
Result<OwnedDelegate> external(const Delegate& wanted) {
  const auto library = SharedLibrary::open(wanted.library);
  if (!library) return Error(library.error()).during("delegate");
  SymbolReader symbols(*library);
  PluginCreate* create = nullptr;
  PluginDestroy* destroy = nullptr;
  symbols.required(create, "tflite_plugin_create_delegate");
  symbols.required(destroy, "tflite_plugin_destroy_delegate");
  EP_CHECK(symbols.complete("an external TFLite delegate"));

  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : wanted.options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  const PluginMessages messages;
  CDelegate* const delegate = create(keys.data(), values.data(), keys.size(), &PluginMessages::add);
  if (!delegate)
    return Error{ErrorKind::kUnsupported, "delegate '" + sanitized(wanted.library.string(), 300) +
                                              "' refuses its options or this device" +
                                              messages.reason()};
  return OwnedDelegate{delegate, destroy, sanitized(wanted.library.filename().string())};
}

/// A delegate of TFLite itself, through its C interface. Its options struct is returned by value
/// and read back by address, so only its first fields need to be known.
struct BuiltIn {
  const char* name;
  const char* what;
  const char* defaults;
  const char* create;
  const char* destroy;
  std::size_t allows_half;  ///< Offset of the 32-bit word that allows 16-bit floats.
};
constexpr BuiltIn kGpu{"gpu",
                       "a TFLite library with the GPU delegate",
                       "TfLiteGpuDelegateOptionsV2Default",
                       "TfLiteGpuDelegateV2Create",
                       "TfLiteGpuDelegateV2Delete",
                       0};
constexpr BuiltIn kNnapi{"nnapi",
                         "a TFLite library with the NNAPI delegate",
                         "TfLiteNnapiDelegateOptionsDefault",
                         "TfLiteNnapiDelegateCreate",
                         "TfLiteNnapiDelegateDelete",
                         36};

/// Larger than any version of the structs, because the library writes its whole struct.
struct BuiltInOptions {
  alignas(8) char bytes[512];
};

Result<OwnedDelegate> built_in(const BuiltIn& kind, const SharedLibrary& own,
                               const Delegate& wanted, Precision precision) {
  std::optional<SharedLibrary> other;
  if (!wanted.library.empty()) {
    auto opened = SharedLibrary::open(wanted.library);
    if (!opened) return std::move(opened).error().during("delegate");
    other.emplace(*std::move(opened));
  }
  SymbolReader symbols(other ? *other : own);
  BuiltInOptions (*defaults)() = nullptr;
  CDelegate* (*create)(const BuiltInOptions*) = nullptr;
  PluginDestroy* destroy = nullptr;
  symbols.required(create, kind.create);
  symbols.required(defaults, kind.defaults);
  symbols.required(destroy, kind.destroy);
  if (auto complete = symbols.complete(kind.what); !complete)
    return std::move(complete).error().during(std::string("delegate '") + kind.name + "'");
  if (!wanted.options.empty())
    return Error{ErrorKind::kUsage,
                 std::string("delegate '") + kind.name + "' takes no options, '" +
                     sanitized(wanted.options.front().first) +
                     "' was given; the setting 'precision' decides about 16-bit floats"};
  BuiltInOptions options = defaults();
  const std::int32_t half = precision == Precision::kEngine;
  std::memcpy(options.bytes + kind.allows_half, &half, sizeof half);
  CDelegate* const delegate = create(&options);
  if (!delegate)
    return Error{ErrorKind::kUnsupported,
                 std::string("delegate '") + kind.name + "' cannot be made on this device"};
  return OwnedDelegate{delegate, destroy, kind.name};
}

}  // namespace

Result<OwnedDelegate> create_delegate(const SharedLibrary& own, const Delegate& wanted,
                                      Precision precision) {
  switch (wanted.kind) {
    case Delegate::Kind::kExternal: return external(wanted);
    case Delegate::Kind::kGpu: return built_in(kGpu, own, wanted, precision);
    case Delegate::Kind::kNnapi: return built_in(kNnapi, own, wanted, precision);
  }
  return Error{ErrorKind::kUsage, "a delegate of an unknown kind was asked for"};
}

}  // namespace edgeprobe::engine::tflite
