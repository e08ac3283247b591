// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "core/bytes.h"

namespace edgeprobe {

/// Requests 2 MB pages for the capacity of `bytes`, where the system has them: with 4 KB pages, the
/// first write to each page costs more than filling it. Untouched pages take no memory.
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
