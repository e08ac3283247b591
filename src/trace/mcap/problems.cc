// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/problems.h"

#include <algorithm>
#include <utility>

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostProblems = 100, kMostForeign = 20;

}  // namespace

void Problems::add(std::string sentence) {
  if (sentences_.size() < kMostProblems) {
    sentences_.push_back(std::move(sentence));
    return;
  }
  ++left_out_;
  sentences_.resize(kMostProblems);
  sentences_.push_back("and " + std::to_string(left_out_) + " more problems");
}

void Problems::add_foreign(std::string sentence) {
  if (++foreign_ > kMostForeign || sentences_.size() >= kMostProblems) return;
  foreign_at_.push_back(sentences_.size());
  sentences_.push_back(std::move(sentence));
}

std::vector<std::string> Problems::damage() const {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    if (!std::binary_search(foreign_at_.begin(), foreign_at_.end(), i))
      rest.push_back(sentences_[i]);
  return rest;
}

std::string at(std::uint64_t offset) { return " at offset " + std::to_string(offset); }

}  // namespace edgeprobe::trace
