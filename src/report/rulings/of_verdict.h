// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/verdict/verdict.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {

/// Files that a verdict is about, as Place::file; empty: there is no such file.
struct JudgedFiles {
  std::string recipe;  ///< Of the deployment, else the one that it should follow.
  std::string model;   ///< Of the deployment, else the reference's.
  std::string trace;
};

/// One line for the verdict as a whole, and one for each cause. `verb`: "check".
Rulings rulings_of(const diagnose::Verdict& verdict, const std::string& verb,
                   const JudgedFiles& files);

}  // namespace edgeprobe::report
