// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "diagnose/verdict/words.h"
#include "sensor/front_end.h"

namespace edgeprobe::diagnose::sensor {

/// Name of one fault of a front end for readings, with its members. Front ends are in plain form,
/// except for axes that the app takes last.
struct Kind {
  const char* name;
  CauseKind cause;
  const char* step;  ///< The recipe step with these members.
  const char* noun;  ///< "sampling rate is".
  const char* none;  ///< Replaces the step's arguments if the step is missing.

  bool same(const edgeprobe::sensor::FrontEnd& a, const edgeprobe::sensor::FrontEnd& b) const;
  void copy(edgeprobe::sensor::FrontEnd& to, const edgeprobe::sensor::FrontEnd& from) const;
  std::string text(const edgeprobe::sensor::FrontEnd& front_end) const;
};
std::span<const Kind> kinds();

/// Variants of a front end with each word of a recipe argument, including its own.
std::vector<edgeprobe::sensor::FrontEnd> with_each(const edgeprobe::sensor::FrontEnd& from,
                                                   const char* argument);

/// The kinds in which the two differ.
std::set<std::string> kinds_between(const edgeprobe::sensor::FrontEnd& a,
                                    const edgeprobe::sensor::FrontEnd& b);
/// `from` with this kind taken from `other`.
edgeprobe::sensor::FrontEnd with_kind_of(edgeprobe::sensor::FrontEnd from,
                                         const edgeprobe::sensor::FrontEnd& other,
                                         const Kind& kind);
/// "the app's axes are z, x, y; the reference's are x, y, z".
std::string described(const edgeprobe::sensor::FrontEnd& app,
                      const edgeprobe::sensor::FrontEnd& reference, const Kind& kind);

}  // namespace edgeprobe::diagnose::sensor
