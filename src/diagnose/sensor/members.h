// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "diagnose/verdict/words.h"
#include "sensor/front_end.h"

namespace edgeprobe::diagnose::sensor {

/// What a person calls one fault of a front end of readings, with the members that it is about.
/// Front ends are in their plain form, but for axes that the app takes last.
struct Kind {
  const char* name;
  CauseKind cause;
  const char* step;  ///< Of the recipe, which has these members.
  const char* noun;  ///< "sampling rate is".
  const char* none;  ///< What stands in place of the step's arguments where it is not there.

  bool same(const edgeprobe::sensor::FrontEnd& a, const edgeprobe::sensor::FrontEnd& b) const;
  void copy(edgeprobe::sensor::FrontEnd& to, const edgeprobe::sensor::FrontEnd& from) const;
  std::string text(const edgeprobe::sensor::FrontEnd& front_end) const;
};
std::span<const Kind> kinds();

/// A front end with each word of an argument of the recipe, its own among them.
std::vector<edgeprobe::sensor::FrontEnd> with_each(const edgeprobe::sensor::FrontEnd& from,
                                                   const char* argument);

/// The kinds in which two differ.
std::set<std::string> kinds_between(const edgeprobe::sensor::FrontEnd& a,
                                    const edgeprobe::sensor::FrontEnd& b);
/// `from` with a kind as in `other`.
edgeprobe::sensor::FrontEnd with_kind_of(edgeprobe::sensor::FrontEnd from,
                                         const edgeprobe::sensor::FrontEnd& other,
                                         const Kind& kind);
/// "the app's axes are z, x, y; the reference's are x, y, z".
std::string described(const edgeprobe::sensor::FrontEnd& app,
                      const edgeprobe::sensor::FrontEnd& reference, const Kind& kind);

}  // namespace edgeprobe::diagnose::sensor
