// SPDX-License-Identifier: Apache-2.0
#include "placement/search/rounds.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace edgeprobe::placement {
namespace {

/// With this many processes and none quiet, more would be lost time.
constexpr std::size_t kGiveUp = 6;

/// True if a way that decides has had its processes, and they do not suffice.
bool is_vain(const std::vector<Way>& ways, const Verdict& verdict, std::size_t most) {
  return std::any_of(verdict.lacking.begin(), verdict.lacking.end(), [&](std::size_t index) {
    const std::size_t had = ways[index].processes.size();
    return had >= most || fewest_processes(ways, index) > most ||
           (had >= kGiveUp && evidence_of(ways[index])->quiet_processes == 0);
  });
}

}  // namespace

std::size_t most_of(std::size_t rounds) { return 4 * rounds; }

Status measure_rounds(std::size_t rounds, const std::function<std::vector<Way>()>& ways,
                      const std::function<Status(std::size_t index)>& measure,
                      const std::function<void(std::size_t further)>& planned) {
  std::mt19937 random(1);
  const auto round = [&](std::vector<std::size_t> order) -> Status {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) EP_CHECK(measure(index));
    return {};
  };
  std::vector<std::size_t> all(ways().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < rounds; ++i) {
    planned((rounds - i) * all.size());
    EP_CHECK(round(all));
  }
  while (true) {
    const std::vector<Way> now = ways();
    Verdict verdict = judge(now);
    if (is_vain(now, verdict, most_of(rounds))) return {};
    std::size_t further = 0;
    std::erase_if(verdict.open, [&](std::size_t index) {
      const std::size_t had = now[index].processes.size();
      if (had >= most_of(rounds)) return true;
      const std::size_t needs = fewest_processes(now, index);
      further += had < needs ? needs - had : 1;
      return false;
    });
    if (verdict.open.empty()) return {};
    planned(further);
    EP_CHECK(round(verdict.open));
  }
}

}  // namespace edgeprobe::placement
