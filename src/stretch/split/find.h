// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "stretch/split/split.h"
#include "stretch/split/subject.h"
#include "stretch/split/window.h"

namespace edgeprobe::stretch {

/// Layers that can be split, whatever into.
struct Splittable {
  Split::Kind kind = Split::Kind::kPair;
  Matched matched;  ///< Without `shared`.
  /// Multiply-accumulates of two equal parts over those of the layers, less 1: rows that both
  /// compute.
  double more = 0;
};

struct Splittables {
  /// Pairs, and what is in no pair by output channels: no layer is in two of them. In the order of
  /// their layers.
  std::vector<Splittable> channels;
  /// Runs of layers as long as two parts compute at most kMostMore more; no layer is in two.
  std::vector<Splittable> rows;
  struct Refused {
    int layer = -1;
    std::string reason;  ///< A sentence that names the layer.
  };
  std::vector<Refused> refused;  ///< Convolutions, Gemm and MatMul whose channels are not split.
};
inline constexpr double kMostMore = 0.15;

Splittables find_splits(const SplitSubject& subject);

/// What can be split at once: `by_rows` all runs by rows and the channels of layers outside of
/// them, else channels alone; in the order of their layers.
std::vector<Splittable> chosen(const Splittables& found, bool by_rows);

/// The split of these layers with parts as the shares have it; without parts where one would be
/// empty, or have rows that are computed of padding alone.
Split split_of(const SplitSubject& subject, const Splittable& found,
               const std::vector<double>& shares);

/// The same for as many of the first shares as leave no part empty; without parts below two.
Split most_split_of(const SplitSubject& subject, const Splittable& found,
                    std::vector<double> shares);

/// By tensor: the rows of it that some rows of the last one are computed of. kUnsupported where
/// rows are computed of padding alone.
Result<std::map<int, Rows>> rows_needed(const SplitSubject& subject, const Matched& matched,
                                        Rows wanted);

}  // namespace edgeprobe::stretch
