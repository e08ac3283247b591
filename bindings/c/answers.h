// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#include "core/bytes.h"
#include "core/result.h"
#include "edgeprobe.h"
#include "handles.h"

/// Results of C ABI calls: a status, and one sentence that edgeprobe_last_error() returns in the
/// same thread.
namespace edgeprobe::c {

const char* last_error();
edgeprobe_status fail(edgeprobe_status status, const char* what);
inline edgeprobe_status usage(const char* what) { return fail(EDGEPROBE_USAGE, what); }
edgeprobe_status told(const Status& status);
edgeprobe_status failed(const UsedFrame& frame);
inline edgeprobe_status told(const UsedFrame& frame, bool is_done) {
  return is_done ? EDGEPROBE_OK : failed(frame);
}
/// The handle has no probe.
edgeprobe_status off();
/// Reports why `frame` cannot be used.
edgeprobe_status refused(const UsedFrame& frame);

/// Prevents exceptions from reaching a C caller.
template <class Call>
edgeprobe_status guarded(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(EDGEPROBE_LIMIT, "no memory");
  } catch (const std::exception& error) {
    return fail(EDGEPROBE_FAILED, error.what());
  } catch (...) {
    return fail(EDGEPROBE_FAILED, "an exception of unknown kind");
  }
}

/// True while this thread runs an application's redaction.
extern thread_local bool redacting;

/// Later versions of a struct only append members, so a caller's may be shorter or longer than
/// ours.
inline constexpr std::uint32_t kLongestStruct = 4096;
inline bool is_struct_of(std::uint32_t size, std::size_t least) {
  return size >= least && size <= kLongestStruct;
}

/// C allows any number in an enum; reading an invalid one as the enum is undefined behaviour in
/// C++.
template <class Enum>
int number_in(const Enum& place) {
  static_assert(sizeof place == sizeof(int));
  int value = 0;
  std::memcpy(&value, &place, sizeof value);
  return value;
}
template <class Enum>
bool in_range(const Enum& place, Enum last) {
  return static_cast<unsigned>(number_in(place)) <= static_cast<unsigned>(last);
}

inline ByteView view(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

template <class Call>
edgeprobe_status with_probe(edgeprobe_probe* handle, const Call& call) {
  const auto probe = find(handle);
  if (!probe) return off();
  return guarded([&] { return call(*probe); });
}

}  // namespace edgeprobe::c
