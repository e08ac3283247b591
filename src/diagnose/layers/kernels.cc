// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layers/kernels.h"

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
                                       const std::vector<Residue>& residues) {
  std::map<std::string, Tally> tallies;
  for (const Residue& residue : residues) {
    if (!residue.not_checked.empty()) continue;
    Tally& tally = tallies[target.layers[static_cast<std::size_t>(residue.layer)].type];
    ++tally.checked;
    tally.judged += residue.faulty || !residue.integer || residue.steps_used >= kFewSteps;
    if (residue.faulty) tally.faulty.push_back(residue.layer);
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
