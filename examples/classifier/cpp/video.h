// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "picture.h"

/// The frames of a video file, read by FFmpeg's libraries. A rotation stated in the file is not
/// applied.
class Video {
 public:
  /// On failure error() returns the reason.
  explicit Video(const std::string& path);
  ~Video();
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;

  /// nullopt at the end, or if the file is damaged; error() is then not empty.
  std::optional<Picture> next();
  const std::string& error() const { return error_; }

 private:
  struct Decoder;
  std::unique_ptr<Decoder> decoder_;
  std::string error_;
};
