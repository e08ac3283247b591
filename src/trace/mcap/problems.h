// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace edgeprobe::trace {

/// Sentences about what was survived; a bounded number of them.
class Problems {
 public:
  void add(std::string sentence);
  /// About what is sound and no part of a trace: another program's channel.
  void add_foreign(std::string sentence);
  const std::vector<std::string>& sentences() const { return sentences_; }
  /// Without those about foreign things, and how many of these there were.
  std::vector<std::string> damage() const;
  std::size_t foreign() const { return foreign_; }

 private:
  std::vector<std::string> sentences_;
  std::vector<std::size_t> foreign_at_;  ///< Of `sentences_`.
  std::size_t foreign_ = 0;
  std::size_t left_out_ = 0;
};

/// " at offset 17", for such sentences.
std::string at(std::uint64_t offset);

}  // namespace edgeprobe::trace
