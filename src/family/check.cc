// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "family/forms.h"

namespace edgeprobe::family {
namespace {

Status check_branch(const Configuration& configuration, const Branch& branch,
                    const std::string& place) {
  const bool is_bottleneck =
      configuration.block == Block::kBottleneck || configuration.block == Block::kLinearBottleneck;
  if (is_bottleneck) {
    const std::int64_t inner = rounded(static_cast<double>(branch.width) * branch.multiplier);
    const std::int64_t groups = inner / branch.group_width;
    if (inner < 1 || groups < 1 || inner % groups != 0)
      return Error{ErrorKind::kUsage,
                   place + "a bottleneck of " + std::to_string(inner) + " channels (width " +
                       std::to_string(branch.width) + " times " + number(branch.multiplier) +
                       ") is not divided by groups of " + std::to_string(branch.group_width)};
  }
  if (configuration.block == Block::kMbconv && branch.kernel % 2 == 0)
    return Error{ErrorKind::kUsage, place + "kernel " + std::to_string(branch.kernel) +
                                        ": only odd sizes are supported, since even ones have no "
                                        "middle to pad around"};
  if (configuration.block == Block::kShuffle && branch.width % 2 != 0)
    return Error{ErrorKind::kUsage, place + "width " + std::to_string(branch.width) +
                                        ": a shuffle unit has two halves, so widths are even"};
  return {};
}

}  // namespace

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::nearbyint(value)); }
std::int64_t truncated(double value) { return static_cast<std::int64_t>(value); }

std::int64_t next_to_eight(double value) {
  const std::int64_t near = std::max<std::int64_t>(8, truncated(value + 4) / 8 * 8);
  return static_cast<double>(near) < 0.9 * value ? near + 8 : near;
}

bool has_adapters(const Configuration& configuration, const Stage& stage) {
  return configuration.adapters == Adapters::kAll ||
         (configuration.adapters == Adapters::kBranched && stage.branches.size() > 1);
}

std::int64_t width_out(const Configuration& configuration, const Stage& stage,
                       const Branch& branch) {
  const std::int64_t own =
      configuration.block == Block::kShuffle ? branch.width / 2 * 2 : branch.width;
  if (!has_adapters(configuration, stage) || stage.joined == 0) return own;
  return stage.joined / static_cast<std::int64_t>(stage.branches.size());
}

std::int64_t joined_width(const Configuration& configuration, const Stage& stage) {
  std::int64_t sum = 0;
  for (const Branch& branch : stage.branches) sum += width_out(configuration, stage, branch);
  return sum;
}

Result<std::size_t> processor_index(const Value& value, const std::string& name,
                                    std::vector<std::string>& processors) {
  const bool is_word =
      !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
      });
  if (!is_word)
    return wrong(value, "'" + sanitized(name, 60) +
                            "': a processor's name has at most 40 letters, digits, '-' and '_'");
  const auto found = std::find(processors.begin(), processors.end(), name);
  const auto index = static_cast<std::size_t>(found - processors.begin());
  if (found != processors.end()) return index;
  if (processors.size() == kMostBranches)
    return wrong(value, "more than " + std::to_string(kMostBranches) + " processors");
  processors.push_back(name);
  return index;
}

Status check(const Configuration& configuration, const std::string& label) {
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    const Stage& stage = configuration.stages[i];
    for (std::size_t k = 0; k < stage.branches.size(); ++k) {
      const Branch& branch = stage.branches[k];
      const std::string place = sanitized(label, 300) + ":" + std::to_string(stage.line) +
                                ": stage " + std::to_string(i + 1) + ", branch " +
                                std::to_string(k + 1) + ": ";
      EP_CHECK(check_branch(configuration, branch, place));
      if (branch.stride != stage.branches.front().stride)
        return Error{ErrorKind::kUsage,
                     place + "stride " + std::to_string(branch.stride) + ", and branch 1 has " +
                         std::to_string(stage.branches.front().stride) +
                         ": branches of one stage are joined, so their strides are equal"};
    }
    if (has_adapters(configuration, stage) && stage.joined == 0)
      return Error{ErrorKind::kUsage, sanitized(label, 300) + ":" + std::to_string(stage.line) +
                                          ": stage " + std::to_string(i + 1) +
                                          ": branches with adapters need the width of the joined "
                                          "tensor (ORIGINAL_WIDTHS)"};
  }
  if (configuration.stem_kernel % 2 == 0)
    return Error{ErrorKind::kUsage, sanitized(label, 300) + ": the stem's kernel " +
                                        std::to_string(configuration.stem_kernel) +
                                        ": only odd sizes are supported"};
  return {};
}

}  // namespace edgeprobe::family
