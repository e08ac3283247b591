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
  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::vector<std::string> sentences_;
  std::size_t left_out_ = 0;
};

/// " at offset 17", for such sentences.
std::string at(std::uint64_t offset);

}  // namespace edgeprobe::trace
