// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"
#include "diagnose/verdict/words.h"
#include "recipe/member.h"
#include "recipe/words.h"

namespace edgeprobe::diagnose::sound {

/// Front ends that differ from one in a single respect. The first kind acts in front of the
/// logarithm or across coefficients; the second scales or shifts whole coefficients, so that a fit
/// is blind to it.
std::vector<audio::FrontEnd> structural_changes(const audio::FrontEnd& from,
                                                const audio::Clip& clip);
std::vector<audio::FrontEnd> affine_changes(const audio::FrontEnd& from);
/// Every rate that the recording may be taken to have with every hop: where both stretch time, one
/// of them alone comes no nearer.
std::vector<audio::FrontEnd> stretched(const audio::FrontEnd& from, const audio::Clip& clip);
/// Those with another scale or axis of the filters alone.
std::vector<audio::FrontEnd> other_mel_scales(const audio::FrontEnd& from);

/// One member of a front end as a thing that can be wrong.
struct Member {
  const char* kind;  ///< What a person calls the fault: members of one kind are one fault.
  CauseKind cause;
  const char* noun;
  recipe::Member of;
  recipe::Words words;
  std::string (*told)(const audio::FrontEnd&);  ///< In place of the word or the number.

  bool same(const audio::FrontEnd& a, const audio::FrontEnd& b) const {
    return of.get(&a) == of.get(&b);
  }
  void copy(audio::FrontEnd& to, const audio::FrontEnd& from) const { of.set(&to, of.get(&from)); }
  std::string text(const audio::FrontEnd& front_end) const;
};
std::span<const Member> members();

/// The kinds in which two differ.
std::set<std::string> kinds_between(const audio::FrontEnd& a, const audio::FrontEnd& b);
/// `from` with every member of a kind as in `other`.
audio::FrontEnd with_kind_of(audio::FrontEnd from, const audio::FrontEnd& other,
                             const std::string& kind);
/// "the app's logarithm is ln; the reference's is log10".
std::string described(const audio::FrontEnd& app, const audio::FrontEnd& reference,
                      const std::string& kind);

}  // namespace edgeprobe::diagnose::sound
