// SPDX-License-Identifier: Apache-2.0
#include "engine/tvm/api.h"

#include "engine/inputs.h"

namespace edgeprobe::engine::tvm {
namespace {

/// TVM's message without the position where the error was raised.
Error raised(const Api& api) {
  void* object = nullptr;
  api.take_error(&object);
  if (!object) return {ErrorKind::kTarget, "TVM gives no reason"};
  struct Cell {
    CBytes kind, message;
  };
  const Value owned(api, [&] {
    CAny any;
    any.type = kFirstObject;
    any.object = object;
    return any;
  }());
  const auto& cell =
      *reinterpret_cast<const Cell*>(static_cast<const std::byte*>(object) + sizeof(CObject));
  return {ErrorKind::kTarget, one_sentence(std::string(cell.message.data, cell.message.size))};
}

}  // namespace

Result<Api> bind(const SharedLibrary& ffi) {
  Api api;
  SymbolReader symbols(ffi);
  symbols.required(api.version, "TVMFFIGetVersion");
  symbols.required(api.drop, "TVMFFIObjectDecRef");
  symbols.required(api.get_global, "TVMFFIFunctionGetGlobal");
  symbols.required(api.call, "TVMFFIFunctionCall");
  symbols.required(api.take_error, "TVMFFIErrorMoveFromRaised");
  symbols.required(api.create_function, "TVMFFIFunctionCreate");
  symbols.required(api.tensor_from, "TVMFFITensorFromDLPack");
  EP_CHECK(symbols.complete("TVM's libtvm_ffi.so"));
  return api;
}

CAny integer(std::int64_t value) {
  CAny any;
  any.type = kInt;
  any.integer = value;
  return any;
}

CAny boolean(bool value) {
  CAny any = integer(value);
  any.type = kBool;
  return any;
}

CAny raw_text(const char* text) {
  CAny any;
  any.type = kRawText;
  any.text = text;
  return any;
}

std::string text_of(const CAny& any) {
  if (any.type == kRawText) return any.text;
  if (any.type == kSmallText)
    return std::string(any.small, std::min<std::size_t>(any.small_size, sizeof any.small));
  if (any.type != kText) return "";
  const auto& bytes =
      *reinterpret_cast<const CBytes*>(static_cast<const std::byte*>(any.object) + sizeof(CObject));
  return std::string(bytes.data, bytes.size);
}

Result<Value> global(const Api& api, const std::string& name) {
  const CBytes bytes{name.data(), name.size()};
  void* function = nullptr;
  if (api.get_global(&bytes, &function) != 0) return raised(api);
  if (!function) return Error{ErrorKind::kUnsupported, "this TVM has no function '" + name + "'"};
  CAny any;
  any.type = kFunction;
  any.object = function;
  return Value(api, any);
}

Result<Value> call(const Api& api, const Value& function, std::vector<CAny> arguments) {
  CAny result;
  if (api.call(function.any().object, arguments.data(), static_cast<std::int32_t>(arguments.size()),
               &result) != 0)
    return raised(api);
  return Value(api, result);
}

}  // namespace edgeprobe::engine::tvm
