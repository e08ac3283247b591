// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "core/bytes.h"

namespace edgeprobe {

/// Asks for pages of 2 MB below the capacity of `bytes`, where the system has them: a first write
/// to each page of 4 KB costs more than the bytes. Nothing that is not written to is in memory.
inline void ask_for_huge_pages(const Bytes& bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + bytes.capacity()) / kPage * kPage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)bytes;
#endif
}

}  // namespace edgeprobe
