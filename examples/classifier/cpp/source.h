// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture.h"
#include "video.h"

/// Pictures one after the other: the files of a folder in the order of their names, or the frames
/// of a video.
class Source {
 public:
  /// On failure error() returns the reason.
  explicit Source(const std::string& path);

  struct Item {
    std::string name;  ///< The file's path below the folder, or video.mp4#0, video.mp4#1, ...
    Picture picture;
  };
  /// nullopt at the end, or after an error(). A file that is not a picture is skipped, with a line
  /// on stderr.
  std::optional<Item> next();
  const std::string& error() const { return video_ ? video_->error() : error_; }

 private:
  std::string path_, error_;
  std::vector<std::string> files_;
  std::optional<Video> video_;
  std::size_t number_ = 0;
};
