// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "engine/engine.h"
#include "engine/onnxruntime/api.h"

namespace edgeprobe::engine::onnxruntime {

/// An object of the library with the function that frees it.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(void (*release)(T*)) : release_(release) {}
  Owned(Owned&& other) noexcept
      : release_(other.release_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(release_, other.release_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_) release_(object_);
  }
  T* get() const { return object_; }
  /// Where the library stores the object that it creates.
  T** slot() { return &object_; }

 private:
  void (*release_)(T*) = nullptr;
  T* object_ = nullptr;
};

/// An opened library and its environment; sessions keep it alive.
class Runtime {
 public:
  static Result<std::shared_ptr<Runtime>> start(SharedLibrary library, const Api& api,
                                                std::string version);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  const Api& api() const { return api_; }
  CEnv* environment() const { return environment_.get(); }
  CAllocator* allocator() const { return allocator_; }
  const CMemoryInfo* memory() const { return memory_.get(); }
  const std::string& version() const { return version_; }

  /// The reason of a failure as one sentence, "" for success (null). Frees the status.
  std::string reason(CStatus* status) const;

  /// An execution provider in a separate library.
  struct Provider {
    std::string name;
    std::vector<const CEpDevice*> devices;
  };
  /// Registers the library once; kUnsupported if this ONNX Runtime cannot load providers, if the
  /// file is not one, or if it supports no device of this machine.
  Result<Provider> provider(const std::filesystem::path& library);

 private:
  Runtime(SharedLibrary library, const Api& api, std::string version)
      : library_(std::move(library)), api_(api), version_(std::move(version)) {}
  Result<std::vector<const CEpDevice*>> devices() const;

  SharedLibrary library_;
  Api api_;
  std::string version_;
  Owned<CEnv> environment_;
  Owned<CMemoryInfo> memory_;
  CAllocator* allocator_ = nullptr;
  std::map<std::filesystem::path, Provider> providers_;
};

/// The element type for ONNX's number (TensorProto.DataType, which the runtime uses too).
DType dtype_of(int element_type);
/// The inverse; 0 for types without a number.
int number_of(DType dtype);
/// ONNX's name, for messages: "string", "complex64", …
const char* type_name(int element_type);
/// Kind of a value that is not a tensor: "a sequence", "a map", …
const char* kind_name(int kind);

/// Folder for a model that may not use files outside its own.
inline constexpr const char* kNoFolder = "/nonexistent/edgeprobe";

/// The library's options for a session. kUnsupported if `options` requests something that this
/// engine lacks. `delegations` and `warnings` receive the result for each requested provider.
Result<Owned<CSessionOptions>> create_options(Runtime& runtime, const SessionOptions& options,
                                              std::vector<Delegation>& delegations,
                                              std::vector<std::string>& warnings);

}  // namespace edgeprobe::engine::onnxruntime
