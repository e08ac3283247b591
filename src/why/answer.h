// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

/// Two dumps of one tensor, and why they differ: what people attach to a question, with no trace
/// and no model.
namespace edgeprobe::why {

/// A row of the table of evidence.
struct Fact {
  std::string what, text;
};

/// The distance of two lists of values, before anything is explained.
struct Distance {
  std::size_t values = 0, equal = 0;
  double largest = 0, rms = 0;  ///< Of values that are both finite.
  std::size_t app_not_finite = 0, reference_not_finite = 0;
};

/// The rest that the causes leave, checked on every value.
struct Left {
  double explained = 0;  ///< Share of the squared distance that they take away.
  double within = 0;     ///< Share of the values that they give up to one `unit`.
  double largest = 0;    ///< The value that they miss by most, in `unit`.
  std::string unit;      ///< "gray step", "code", "rounding of its type".
};

struct Answer {
  diagnose::Outcome outcome = diagnose::Outcome::kUndecided;
  std::string headline;
  std::vector<diagnose::Cause> causes;
  std::vector<Fact> facts;
  std::vector<std::string> would_decide;
  std::string app_recipe, reference_recipe;  ///< Of the picture, where they are known.
  std::optional<Distance> distance;          ///< Nothing where the sizes differ.
  std::optional<Left> left;
};

/// A difference with a name; `left` says how well it holds.
Answer named(diagnose::CauseKind kind, std::string detail, const Left& left);

/// Every "the app" for "the reference" and the other way round.
std::string exchanged(const std::string& text);

}  // namespace edgeprobe::why
