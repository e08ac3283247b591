// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/control.h"
#include "diagnose/tokens/changes.h"

namespace edgeprobe::diagnose::tokens {

/// A partial explanation: a front end after some changes.
struct Candidate {
  std::vector<Change> changes;
  FrontEnd front_end;
  double weight = 0;
  std::size_t distance = 0;  ///< Number of ids to insert, remove or replace.
};

/// Generates candidates for some observations; counts all that are tried.
class CandidateSearch {
 public:
  CandidateSearch(Problem& problem, std::vector<std::size_t> of, const Control& control)
      : problem_(problem), of_(std::move(of)), control_(control) {}

  /// Front ends with the fewest changes that reproduce the ids; empty if there are none, see
  /// nearest().
  Result<std::vector<Candidate>> ids();
  /// Variants in which the other inputs are right too, by every suitable change: one for each
  /// input, up to two for positions. Empty if an input has none.
  std::vector<Candidate> completed(Candidate from);
  /// Variants with one more change that leaves the ids unchanged but explains another input.
  std::vector<Candidate> completed_by_another(const Candidate& from);

  const Candidate& nearest() const { return nearest_; }
  std::size_t proposed() const { return proposed_; }

 private:
  /// Distance of one input over the observations; nothing if the tokenizer fails.
  std::optional<std::size_t> distance(const FrontEnd& front_end, text::Role role);
  std::optional<Candidate> with(const Candidate& from, Change change, text::Role role);
  std::vector<Candidate> by_one(const Candidate& from, text::Role role);
  std::vector<Candidate> by_two(const Candidate& from, text::Role role);

  Problem& problem_;
  std::vector<std::size_t> of_;
  const Control& control_;
  Candidate nearest_;
  std::size_t proposed_ = 1;
};

}  // namespace edgeprobe::diagnose::tokens
