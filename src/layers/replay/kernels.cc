// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/kernels.h"

#include <algorithm>
#include <map>

namespace edgeprobe::layers {
namespace {

constexpr double kWholeType = 0.8;
constexpr double kFewSteps = 8;

struct Tally {
  std::vector<int> faulty;
  std::size_t checked = 0, judged = 0;
};

}  // namespace

std::vector<KernelFault> kernel_faults(const model::Graph& target,
                                       const std::vector<KernelError>& kernel_errors) {
  std::map<std::string, Tally> tallies;
  for (const KernelError& kernel_error : kernel_errors) {
    if (!kernel_error.not_checked.empty()) continue;
    Tally& tally = tallies[target.layers[static_cast<std::size_t>(kernel_error.layer)].type];
    ++tally.checked;
    tally.judged +=
        kernel_error.faulty || !kernel_error.integer || kernel_error.steps_used >= kFewSteps;
    if (kernel_error.faulty) tally.faulty.push_back(kernel_error.layer);
  }
  std::vector<KernelFault> faults;
  for (auto& [type, tally] : tallies) {
    if (tally.faulty.empty()) continue;
    const bool whole =
        tally.faulty.size() >= 2 &&
        static_cast<double>(tally.faulty.size()) >= kWholeType * static_cast<double>(tally.judged);
    faults.push_back({type, whole, std::move(tally.faulty), tally.checked});
  }
  std::sort(faults.begin(), faults.end(), [](const KernelFault& a, const KernelFault& b) {
    return a.layers.front() < b.layers.front();
  });
  return faults;
}

}  // namespace edgeprobe::layers
