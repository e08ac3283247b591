// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

/// Explains why two dumps of one tensor differ: the files that users attach to a question, with no
/// trace and no model.
namespace edgeprobe::why {

/// A row in the table of evidence.
struct Fact {
  std::string what, text;
};

/// The distance of two lists of values, before any explanation.
struct Distance {
  std::size_t values = 0, equal = 0;
  double largest = 0, rms = 0;  ///< For values that are finite on both sides.
  std::size_t app_not_finite = 0, reference_not_finite = 0;
};

/// The residual after the causes, computed on every value.
struct Left {
  double explained = 0;  ///< Share of the squared distance that they explain.
  double within = 0;     ///< Share of the values reproduced within one `unit`.
  double largest = 0;    ///< The largest remaining error, in `unit`.
  std::string unit;      ///< "gray step", "code", "rounding of its type".
};

struct Answer {
  diagnose::Outcome outcome = diagnose::Outcome::kUndecided;
  std::string headline;
  std::vector<diagnose::Cause> causes;
  std::vector<Fact> facts;
  std::vector<std::string> would_decide;
  std::string app_recipe, reference_recipe;  ///< For the picture, if known.
  std::optional<Distance> distance;          ///< Empty if the sizes differ.
  std::optional<Left> left;
};

Answer agreed(std::string headline);
/// `would_decide`: the evidence that would settle it; "" if nothing is known.
Answer undecided(std::string headline, std::string would_decide = "");
/// A named difference; `left` states how well it fits.
Answer named(diagnose::CauseKind kind, std::string detail, const Left& left);

/// Swaps every "the app" with "the reference".
std::string exchanged(const std::string& text);

}  // namespace edgeprobe::why
