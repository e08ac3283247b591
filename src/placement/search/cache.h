// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/control.h"
#include "core/descriptor.h"
#include "core/result.h"
#include "placement/search/timing.h"

namespace edgeprobe::placement {

/// Timings and answers of earlier searches, one file each below the user's cache, so that a search
/// that was stopped goes on where it was. One search has it at a time.
class Cache {
 public:
  /// Waits while another search has it, and says so once through `waits`. kInterrupted when the
  /// user stops that; kUsage where no folder of the user's own can be had.
  static Result<Cache> open(const Control& control, const std::function<void()>& waits);

  /// Nothing for a key that is not there, or whose file is damaged.
  std::optional<Timing> find(const std::string& key) const;
  /// What cannot be written is measured again next time.
  void keep(const std::string& key, const Timing& timing) const;

  /// Answers of whole searches, as answer.h writes them. Nothing for a key that is not there.
  std::optional<std::string> answer(const std::string& key) const;
  void keep_answer(const std::string& key, const std::string& text) const;

 private:
  Cache(std::filesystem::path folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::filesystem::path folder_;
  Descriptor lock_;
};

}  // namespace edgeprobe::placement
