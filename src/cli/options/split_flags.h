// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "core/control.h"
#include "core/result.h"
#include "dataset/split.h"

namespace edgeprobe::cli {

/// How --data is parted; empty texts: not given.
struct SplitFlags {
  std::string test, validation, seed;
  std::string part;  ///< "train", "validation", "test" or "all".

  /// True if the samples are parted: any of the flags is given, except --split all.
  bool is_given() const;
  /// True if shares or a seed are given: they replace the parts that a data set assigns itself.
  bool has_shares() const { return !test.empty() || !validation.empty() || !seed.empty(); }
};
void add_split(Parser& parser, SplitFlags& flags);

/// The part that a verb takes: --split, else the test. Nothing for `all`, and without a split.
/// kUsage for another word, and for `all` together with shares.
Result<std::optional<dataset::Part>> part_from(const SplitFlags& flags);

/// All parts: those that the data set assigns itself, unless shares are given, else split() with
/// the shares and their defaults. kUsage for invalid values. `notes` receives what split() notes,
/// and what cannot be read; may be null.
Result<dataset::Parts> parts_of(const std::vector<dataset::Sample>& samples,
                                const SplitFlags& flags, std::vector<std::string>* notes,
                                const Control& control = {});

}  // namespace edgeprobe::cli
