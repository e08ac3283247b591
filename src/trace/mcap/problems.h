// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace edgeprobe::trace {

/// A bounded list of sentences about problems that did not stop the reader.
class Problems {
 public:
  void add(std::string sentence);
  /// For valid content that is not part of a trace: another program's channel.
  void add_foreign(std::string sentence);
  const std::vector<std::string>& sentences() const { return sentences_; }
  /// The sentences without those about foreign content, and the number of the latter.
  std::vector<std::string> damage() const;
  std::size_t foreign() const { return foreign_; }

 private:
  std::vector<std::string> sentences_;
  std::vector<std::size_t> foreign_at_;  ///< Indices into `sentences_`.
  std::size_t foreign_ = 0;
  std::size_t left_out_ = 0;
};

/// Such as " at offset 17".
std::string at(std::uint64_t offset);

}  // namespace edgeprobe::trace
