// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

/// Java's arrays and buffers in the C library's form, for the duration of one call.
namespace edgeprobe::jni {

/// A Java byte[] that ends in NUL, as a C string; null stays null.
class Text {
 public:
  Text(JNIEnv* env, jbyteArray bytes) {
    if (bytes == nullptr) return;
    const jsize size = env->GetArrayLength(bytes);
    char* target = small_;
    if (static_cast<std::size_t>(size) > sizeof small_) {
      large_.reset(new (std::nothrow) char[static_cast<std::size_t>(size)]);
      target = large_.get();
    }
    if (target == nullptr) return;
    env->GetByteArrayRegion(bytes, 0, size, reinterpret_cast<jbyte*>(target));
    text_ = target;
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  operator const char*() const { return text_; }

 private:
  char small_[128];
  std::unique_ptr<char[]> large_;
  const char* text_ = nullptr;
};

inline void read(JNIEnv* env, jlongArray from, jsize count, jlong* to) {
  env->GetLongArrayRegion(from, 0, count, to);
}
inline void read(JNIEnv* env, jfloatArray from, jsize count, jfloat* to) {
  env->GetFloatArrayRegion(from, 0, count, to);
}
inline void read(JNIEnv* env, jdoubleArray from, jsize count, jdouble* to) {
  env->GetDoubleArrayRegion(from, 0, count, to);
}

/// A copy of a small numeric Java array; null stays null.
template <class JavaArray, class Value>
class Numbers {
 public:
  Numbers(JNIEnv* env, JavaArray array) {
    if (array == nullptr) return;
    count_ = env->GetArrayLength(array);
    Value* target = small_;
    if (static_cast<std::size_t>(count_) > sizeof small_ / sizeof small_[0]) {
      large_.reset(new (std::nothrow) Value[static_cast<std::size_t>(count_)]);
      target = large_.get();
    }
    if (target == nullptr) {
      count_ = 0;
      return;
    }
    read(env, array, count_, target);
    data_ = target;
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  const Value* data() const { return data_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }

 private:
  Value small_[32];
  std::unique_ptr<Value[]> large_;
  const Value* data_ = nullptr;
  jsize count_ = 0;
};
using Longs = Numbers<jlongArray, jlong>;
using Floats = Numbers<jfloatArray, jfloat>;
using Doubles = Numbers<jdoubleArray, jdouble>;

/// `size` bytes at `offset` of a direct buffer or a primitive array. While an array is held, no JNI
/// function may be called: make this the last of a call's arguments. With `copy` the array is
/// copied, without this restriction.
class Bytes {
 public:
  Bytes(JNIEnv* env, jobject direct, jobject array, jlong offset, jlong size, bool copy)
      : env_(env) {
    if (direct != nullptr) {
      const auto* begin = static_cast<const char*>(env->GetDirectBufferAddress(direct));
      // Java's address of an empty buffer may be null.
      data_ = begin == nullptr ? nullptr : begin + offset;
      return;
    }
    if (array == nullptr) return;
    array_ = static_cast<jarray>(array);
    held_ = env->GetPrimitiveArrayCritical(array_, nullptr);
    if (held_ == nullptr) {
      env->ExceptionClear();
      return;
    }
    data_ = static_cast<const char*>(held_) + offset;
    if (!copy) return;
    copy_.reset(new (std::nothrow) char[static_cast<std::size_t>(size)]);
    if (copy_) std::memcpy(copy_.get(), data_, static_cast<std::size_t>(size));
    data_ = copy_.get();
    release();
  }
  ~Bytes() { release(); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  const void* data() const { return data_; }

 private:
  void release() {
    if (held_ != nullptr) env_->ReleasePrimitiveArrayCritical(array_, held_, JNI_ABORT);
    held_ = nullptr;
  }

  JNIEnv* env_;
  jarray array_ = nullptr;
  void* held_ = nullptr;
  const char* data_ = nullptr;
  std::unique_ptr<char[]> copy_;
};

}  // namespace edgeprobe::jni
