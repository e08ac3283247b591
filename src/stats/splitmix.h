// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace edgeprobe::stats {

/// Next value of a series of random 64-bit numbers: splitmix64 (Steele, Lea, Flood 2014).
/// Distributions of the standard library differ between implementations; this yields the same
/// numbers on every machine.
inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace edgeprobe::stats
