// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// A folder next to the result, removed with this object: finished files only need to be renamed.
class Workplace {
 public:
  /// kUsage if the folder of `out` does not exist or cannot be written.
  static Result<Workplace> make(const std::filesystem::path& out);
  Workplace(Workplace&& other) noexcept;
  Workplace& operator=(Workplace&&) = delete;
  ~Workplace();
  const std::filesystem::path& path() const { return path_; }
  /// Of all its files.
  std::uint64_t bytes() const;
  /// Moves its contents to the folder of `out`; the file `out` itself last. kUsage if one of them
  /// would replace one of `inputs`, or, next to a new `out`, any file.
  Status place(const std::filesystem::path& out, const std::vector<std::string>& inputs) const;

 private:
  explicit Workplace(std::filesystem::path path);
  std::filesystem::path path_;
};

}  // namespace edgeprobe::cli
