#include "trace/problems.h"

#include <utility>

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostProblems = 100;

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

std::string at(std::uint64_t offset) { return " at offset " + std::to_string(offset); }

}  // namespace edgeprobe::trace
