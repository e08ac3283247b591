// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/kernel_sets.h"

#include <atomic>

namespace edgeprobe::compare {
namespace {

std::atomic<const Kernels*>& chosen() {
  static std::atomic<const Kernels*> set = available_kernels().back();
  return set;
}

}  // namespace

const Kernels& kernels() { return *chosen().load(std::memory_order_relaxed); }
void use_kernels(const Kernels& set) { chosen().store(&set, std::memory_order_relaxed); }

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> sets{&generic_kernels()};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) sets.push_back(&avx2_kernels());
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets.push_back(&avx512_kernels());
#elif defined(__aarch64__)
  sets.push_back(&neon_kernels());
#endif
  return sets;
}

}  // namespace edgeprobe::compare
