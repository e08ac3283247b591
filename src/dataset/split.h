// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"

/// Parts a data set into samples for training, validation and the test: the same on every machine.
namespace edgeprobe::dataset {

/// Shares of all samples; the rest trains.
struct SplitOptions {
  double test = 0.2;
  double validation = 0;
  std::uint64_t seed = 1234;
};

/// The parts of a data set, each in the order of the data set.
struct Parts {
  std::vector<Sample> train, validation, test;
  std::vector<Unreadable> unreadable;  ///< Left out of every part: they cannot be read.
  /// Sentences on equal content with different annotations, and on classes that a part lacks.
  std::vector<std::string> notes;

  const std::vector<Sample>& of(Part part) const;
};

/// Parts samples by their content, so that neither names nor their order matter:
/// - Samples of equal content are one group, and so are the samples of a sequence if there are
///   several sequences. A group is never divided.
/// - The groups of each class, or of each stratum that the samples state, are ordered by the
/// SHA-256
///   of the text "SEED:HASH", where HASH is the group's content_hash(); of a sequence, the SHA-256
///   of its samples' hashes one after another.
/// - round(share x samples) of all samples are divided among the classes in proportion, the
///   remainders to the largest fractions, of equal ones to the class whose
///   first group comes first in that order.
/// - In that order, a group belongs to the test if the class's number is not exceeded, else to
///   validation by the same rule, else to training.
/// Samples without a class are one class of their own. Reads each file once, without decoding it.
///
/// kUsage for shares below 0 or of 1 and above together, for a part that would be empty although
/// its share is not 0, and for a class whose samples all have the same content: it cannot be in the
/// training and in the test.
Result<Parts> split(const std::vector<Sample>& samples, const SplitOptions& options,
                    const Control& control = {});

/// The parts that the data set itself assigns (Sample::part). kUsage if a sample has none.
Result<Parts> given_parts(const std::vector<Sample>& samples);

}  // namespace edgeprobe::dataset
