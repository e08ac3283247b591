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

/// Timings and results of earlier searches, one file each in the user's cache, so that an
/// interrupted search can resume. Only one search uses it at a time.
class Cache {
 public:
  /// Waits while another search uses it, and reports that once through `waits`. kInterrupted if the
  /// user stops the wait; kUsage if the user has no cache folder.
  static Result<Cache> open(const Control& control, const std::function<void()>& waits);

  /// Empty for an unknown key or a damaged file.
  std::optional<Timing> find(const std::string& key) const;
  /// An entry that cannot be written is measured again next time.
  void keep(const std::string& key, const Timing& timing) const;

  /// Results of whole searches, in the form of answer.h. Empty for an unknown key.
  std::optional<std::string> answer(const std::string& key) const;
  void keep_answer(const std::string& key, const std::string& text) const;

 private:
  Cache(std::filesystem::path folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::filesystem::path folder_;
  Descriptor lock_;
};

}  // namespace edgeprobe::placement
