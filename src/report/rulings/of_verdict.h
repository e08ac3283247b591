// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/verdict/verdict.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {

/// Files that a verdict concerns, as Place::file; empty: none.
struct JudgedFiles {
  std::string recipe;  ///< The deployment's, or else the one that it should follow.
  std::string model;   ///< The deployment's, or else the reference's.
  std::string trace;
};

/// One line for the whole verdict, and one for each cause. `verb`: "check".
Rulings rulings_of(const diagnose::Verdict& verdict, const std::string& verb,
                   const JudgedFiles& files);

}  // namespace edgeprobe::report
