// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/shared_library.h"

/// The part of TVM's C interface (its "FFI", version 0.1) that edgeprobe uses, with that version's
/// memory layouts.
namespace edgeprobe::engine::tvm {

struct CDevice {
  std::int32_t type;  ///< 1: CPU.
  std::int32_t id;
};
struct CDataType {
  std::uint8_t code;  ///< 0 int, 1 uint, 2 float, 4 bfloat, 6 bool.
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct CTensor {
  void* data;
  CDevice device;
  std::int32_t rank;
  CDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< Null: dense.
  std::uint64_t byte_offset;
};
struct CManagedTensor {
  CTensor tensor;
  void* owner;
  void (*deleter)(CManagedTensor*);
};
struct CBytes {
  const char* data;
  std::size_t size;
};
/// Header of every object.
struct CObject {
  std::uint64_t references;
  std::int32_t type;
  std::uint32_t padding;
  void (*deleter)(void*, int);
};
static_assert(sizeof(CObject) == 24);

enum CType : std::int32_t {
  kNone = 0,
  kInt = 1,
  kBool = 2,
  kRawText = 8,
  kSmallText = 11,
  kFirstObject = 64,
  kText = 65,
  kFunction = 68,
  kTensor = 70,
  kArray = 71,
};
struct CAny {
  std::int32_t type = kNone;
  std::uint32_t small_size = 0;
  union {
    std::int64_t integer = 0;
    void* object;
    const char* text;
    char small[8];
  };
};
static_assert(sizeof(CAny) == 16);

struct CVersion {
  std::uint32_t major, minor, patch;
};
using CCallback = int (*)(void* self, const CAny* arguments, std::int32_t count, CAny* result);

struct Api {
  void (*version)(CVersion*) = nullptr;
  int (*drop)(void*) = nullptr;
  int (*get_global)(const CBytes*, void**) = nullptr;
  int (*call)(void*, CAny*, std::int32_t, CAny*) = nullptr;
  void (*take_error)(void**) = nullptr;
  int (*create_function)(void* self, CCallback, void (*deleter)(void*), void**) = nullptr;
  int (*tensor_from)(CManagedTensor*, std::int32_t alignment, std::int32_t contiguous,
                     void**) = nullptr;
};
Result<Api> bind(const SharedLibrary& ffi);

/// A TVM value; releases its object when destroyed.
class Value {
 public:
  Value() = default;
  Value(const Api& api, CAny any) : api_(&api), any_(any) {}
  Value(Value&& other) noexcept : api_(other.api_), any_(other.any_) { other.any_ = {}; }
  Value& operator=(Value&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(any_, other.any_);
    return *this;
  }
  ~Value() {
    if (any_.type >= kFirstObject) api_->drop(any_.object);
  }
  const CAny& any() const { return any_; }
  std::int32_t type() const { return any_.type; }
  /// For a tensor value.
  const CTensor& tensor() const {
    return *reinterpret_cast<const CTensor*>(static_cast<const std::byte*>(any_.object) +
                                             sizeof(CObject));
  }

 private:
  const Api* api_ = nullptr;
  CAny any_;
};

CAny integer(std::int64_t value);
CAny boolean(bool value);
/// `text` must outlive the call.
CAny raw_text(const char* text);
/// The text of an argument, in either representation.
std::string text_of(const CAny& any);

/// A function by its global name; kUnsupported if the runtime lacks it.
Result<Value> global(const Api& api, const std::string& name);
/// kTarget with TVM's message, as one sentence.
Result<Value> call(const Api& api, const Value& function, std::vector<CAny> arguments);

}  // namespace edgeprobe::engine::tvm
