// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>

#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose {

/// A part of a front end, of sound or of readings, as a thing that can be wrong.
template <class FrontEnd>
struct FrontEndMember {
  const char* kind;  ///< What a person calls the fault: members of one kind are one fault.
  CauseKind cause;
  const char* noun;
  bool (*same)(const FrontEnd&, const FrontEnd&);
  void (*copy)(FrontEnd& to, const FrontEnd& from);
  std::string (*text)(const FrontEnd&);
};

/// The kinds in which two differ.
template <class FrontEnd>
std::set<std::string> kinds_that_differ(std::span<const FrontEndMember<FrontEnd>> members,
                                        const FrontEnd& a, const FrontEnd& b) {
  std::set<std::string> kinds;
  for (const FrontEndMember<FrontEnd>& member : members)
    if (!member.same(a, b)) kinds.insert(member.kind);
  return kinds;
}

}  // namespace edgeprobe::diagnose
