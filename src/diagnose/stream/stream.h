// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "diagnose/stream/windows.h"

namespace edgeprobe::diagnose::stream {

/// The rows of all the reference's windows, each once, indexed by place. Borrows from `all`.
class Stream {
 public:
  Stream(const Windows& all, const Places& places);

  /// Null if the stream has no row there.
  const float* at(long place) const;
  /// Number of rows from there on that equal the stream's.
  std::size_t same_rows(const float* fed, std::size_t count, long place) const;
  /// Places where these rows occur, the nearest to `expected` first.
  std::vector<long> find(const float* fed, std::size_t count, long expected) const;

 private:
  const Windows& all_;
  std::vector<long> places_;  ///< Ascending.
  std::vector<const float*> rows_;
  std::size_t key_ = 0;  ///< Column used to look up rows.
  std::vector<std::pair<float, std::size_t>> by_key_;
};

}  // namespace edgeprobe::diagnose::stream
