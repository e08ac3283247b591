// SPDX-License-Identifier: Apache-2.0
#include "model/capture_list.h"

#include <algorithm>

namespace edgeprobe::model {
namespace {

// If an engine fails on more single tensors than this, give up: each failure may take the whole
// time limit.
constexpr std::size_t kMostAlone = 16;

}  // namespace

CaptureList::CaptureList(std::vector<std::vector<int>> groups) {
  std::reverse(groups.begin(), groups.end());
  for (std::vector<int>& tensors : groups) groups_.push_back({std::move(tensors), 0});
}

std::optional<CaptureList::Group> CaptureList::next() {
  if (groups_.empty()) return std::nullopt;
  Group group = std::move(groups_.back());
  groups_.pop_back();
  return group;
}

void CaptureList::failed(Group group, const Error& error) {
  if (group.tensors.size() == 1 || not_captured_.size() >= kMostAlone) {
    const std::string together =
        group.tensors.size() == 1
            ? ""
            : " (one of " + std::to_string(group.tensors.size()) + " shown together)";
    for (const int tensor : group.tensors) not_captured_.push_back({tensor, error.what + together});
    return;
  }
  const auto middle = group.tensors.begin() + static_cast<std::ptrdiff_t>(group.tensors.size() / 2);
  groups_.push_back({{middle, group.tensors.end()}, group.frames});
  groups_.push_back({{group.tensors.begin(), middle}, group.frames});
}

}  // namespace edgeprobe::model
