// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/smallest_set.h"

#include <algorithm>

namespace edgeprobe::fix {
namespace {

std::vector<int> sorted(std::vector<int> layers) {
  std::sort(layers.begin(), layers.end());
  return layers;
}

}  // namespace

Result<LayerSet> smallest_set(const std::vector<int>& order, std::size_t most_tries,
                              const Try& attempt) {
  LayerSet found;
  std::size_t short_of = 0,
              count = 0;  // The first `short_of` layers are not enough, the first `count` are.
  const auto first = [&](std::size_t n) {
    return std::vector<int>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
  };
  const auto tried = [&](const std::vector<int>& layers) {
    ++found.tries;
    return attempt(sorted(layers));
  };
  for (std::size_t next = 1; short_of < order.size() && found.tries < most_tries; next *= 2) {
    next = std::min(next, order.size());
    EP_TRY(const auto good, tried(first(next)));
    if (good) {
      count = next;
      break;
    }
    short_of = next;
  }
  found.layers = sorted(first(count ? count : short_of));
  found.enough = count > 0;
  if (!found.enough) return found;

  while (count - short_of > 1 && found.tries < most_tries) {
    const std::size_t middle = short_of + (count - short_of) / 2;
    EP_TRY(const auto good, tried(first(middle)));
    (good ? count : short_of) = middle;
  }
  std::vector<int> kept = first(count);
  // The last layer is needed: without it, these are the first `short_of`.
  bool all_needed = count - short_of == 1;
  for (std::size_t i = count - 1; i-- > 0 && kept.size() > 1;) {
    if (found.tries >= most_tries) {
      all_needed = false;
      break;
    }
    std::vector<int> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EP_TRY(const auto good, tried(fewer));
    if (good) kept = std::move(fewer);
  }
  found.layers = sorted(std::move(kept));
  found.smallest = all_needed;
  return found;
}

Result<LayerSet> shrunk_set(const std::vector<int>& kept, std::size_t most_tries,
                            const Try& attempt) {
  LayerSet found;
  found.enough = found.smallest = true;
  std::vector<int> left = kept;
  for (std::size_t block = (kept.size() + 1) / 2; block > 0;
       block = block == 1 ? 0 : (block + 1) / 2)
    for (std::size_t end = left.size(); end > 0 && left.size() > 1;) {
      const std::size_t begin = end > block ? end - block : 0;
      if (end - begin < left.size()) {
        if (found.tries >= most_tries) {
          found.smallest = false;
          break;
        }
        std::vector<int> fewer = left;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        ++found.tries;
        EP_TRY(const auto good, attempt(sorted(fewer)));
        if (good) left = std::move(fewer);
      }
      end = begin;
    }
  found.layers = sorted(std::move(left));
  return found;
}

}  // namespace edgeprobe::fix
