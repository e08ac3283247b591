// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "picture.h"

/// The frames of a video file, by FFmpeg's libraries. A turn that the file asks players for is not
/// done.
class Video {
 public:
  /// On failure error() says why.
  explicit Video(const std::string& path);
  ~Video();
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;

  /// nullopt at the end, or where the file is damaged: then error() is not empty.
  std::optional<Picture> next();
  const std::string& error() const { return error_; }

 private:
  struct Decoder;
  std::unique_ptr<Decoder> decoder_;
  std::string error_;
};
