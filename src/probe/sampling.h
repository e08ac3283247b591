// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/options.h"

namespace edgeprobe::probe {

/// Sebastiano Vigna's generator as a function of its state: well mixed bits of any number.
inline std::uint64_t splitmix64(std::uint64_t state) {
  std::uint64_t z = state + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// True if a frame is recorded when no trigger decides. Deterministic for given options.
inline bool is_sampled(const Options& options, std::uint32_t frame) {
  switch (options.sampling) {
    case Sampling::kEvery: return frame % options.every == 0;
    case Sampling::kRandom:
      return splitmix64(splitmix64(options.seed) + frame) % options.every == 0;
    case Sampling::kTrigger: break;
  }
  return false;
}

}  // namespace edgeprobe::probe
