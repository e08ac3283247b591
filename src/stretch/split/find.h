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

/// Layers that can be split, into any parts.
struct Splittable {
  Split::Kind kind = Split::Kind::kPair;
  Matched matched;  ///< Without `shared`.
  /// Multiply-accumulates of two equal parts relative to those of the layers, minus 1: rows that
  /// both compute.
  double more = 0;
};

struct Splittables {
  /// Pairs, and layers outside of pairs by output channels: no layer is in two of them. In layer
  /// order.
  std::vector<Splittable> channels;
  /// Runs of layers, each as long as possible: two parts of a run together compute at most
  /// kMostMore more than its layers. No layer is in two runs.
  std::vector<Splittable> rows;
  struct Refused {
    int layer = -1;
    std::string reason;  ///< A message that names the layer.
  };
  std::vector<Refused> refused;  ///< Convolutions, Gemm and MatMul whose channels are not split.
};
inline constexpr double kMostMore = 0.15;

Splittables find_splits(const SplitSubject& subject);

/// Splits that can be applied together: `by_rows` all runs by rows and the channels of layers
/// outside of them; if false, channels only; in layer order.
std::vector<Splittable> chosen(const Splittables& found, bool by_rows);

/// The split of these layers with parts in proportion to the shares; without parts if one would be
/// empty, or would have rows computed only from padding.
Split split_of(const SplitSubject& subject, const Splittable& found,
               const std::vector<double>& shares);

/// Same, using only as many of the first shares as leave no part empty; without parts if fewer than
/// two remain.
Split most_split_of(const SplitSubject& subject, const Splittable& found,
                    std::vector<double> shares);

/// By tensor: the rows needed to compute some rows of the last one. kUnsupported if rows are
/// computed only from padding.
Result<std::map<int, Rows>> rows_needed(const SplitSubject& subject, const Matched& matched,
                                        Rows wanted);

}  // namespace edgeprobe::stretch
