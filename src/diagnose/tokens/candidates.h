// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/control.h"
#include "diagnose/tokens/changes.h"

namespace edgeprobe::diagnose::tokens {

/// A front end on the way to an explanation.
struct Candidate {
  std::vector<Change> changes;
  FrontEnd front_end;
  double weight = 0;
  std::size_t distance = 0;  ///< Ids to be put in, taken out or exchanged.
};

/// Candidates on some observations; all that are tried are counted.
class CandidateSearch {
 public:
  CandidateSearch(Problem& problem, std::vector<std::size_t> of, const Control& control)
      : problem_(problem), of_(std::move(of)), control_(control) {}

  /// Front ends that give the ids, with the fewest changes; nearest() where there are none.
  Result<std::vector<Candidate>> ids();
  /// The same with the other inputs right, too, by every change that makes them so: one of each,
  /// of positions up to two. Empty when one has none.
  std::vector<Candidate> completed(Candidate from);
  /// With one change more that these ids cannot show, and another input does.
  std::vector<Candidate> completed_by_another(const Candidate& from);

  const Candidate& nearest() const { return nearest_; }
  std::size_t proposed() const { return proposed_; }

 private:
  /// Of one input over the observations; nothing when the tokenizer refuses.
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
