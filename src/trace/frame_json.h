// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

inline constexpr std::size_t kLongestFrameJson = 65536;

/// The JSON schema of the records on channel "/frame".
std::string frame_schema();

/// The JSON of a record (docs/reference/trace-format.md, section 3); `dropped` of its tensors were
/// not written. A record with only numbers needs no further memory.
class FrameJson {
 public:
  FrameJson(const FrameRecord& record, std::uint64_t dropped);
  FrameJson(const FrameJson&) = delete;
  FrameJson& operator=(const FrameJson&) = delete;
  std::string_view text() const { return long_.empty() ? std::string_view(short_, size_) : long_; }

 private:
  char short_[144];
  std::size_t size_ = 0;
  std::string long_;
};
/// {"kind":"class_set","value":[3,17]}
std::string annotation_json(const FrameAnnotation& annotation);
std::string frame_json(const FrameRecord& record, std::uint64_t dropped);

/// Reads sample, sha256, label, latency and the annotation. Fails with kCorrupt, naming the key, if
/// a value breaks the format; ignores unknown keys.
Status read_frame_json(ByteView json, FrameRecord& record);

}  // namespace edgeprobe::trace
