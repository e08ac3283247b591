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

/// Variants of a front end with a single change. Structural changes act before the logarithm or
/// across coefficients; affine changes scale or shift whole coefficients, which a fit cannot see.
std::vector<audio::FrontEnd> structural_changes(const audio::FrontEnd& from,
                                                const audio::Clip& clip);
std::vector<audio::FrontEnd> affine_changes(const audio::FrontEnd& from);
/// Each assumed sample rate of the recording combined with each hop: both stretch time, so changing
/// only one may not help.
std::vector<audio::FrontEnd> stretched(const audio::FrontEnd& from, const audio::Clip& clip);
/// Variants with only another scale or axis of the filters.
std::vector<audio::FrontEnd> other_mel_scales(const audio::FrontEnd& from);

/// One member of a front end that can be wrong.
struct Member {
  const char* kind;  ///< Name of the fault; members of the same kind are one fault.
  CauseKind cause;
  const char* noun;
  recipe::Member of;
  recipe::Words words;
  std::string (*told)(const audio::FrontEnd&);  ///< Text that replaces the word or number.

  bool same(const audio::FrontEnd& a, const audio::FrontEnd& b) const {
    return of.get(&a) == of.get(&b);
  }
  void copy(audio::FrontEnd& to, const audio::FrontEnd& from) const { of.set(&to, of.get(&from)); }
  std::string text(const audio::FrontEnd& front_end) const;
};
std::span<const Member> members();

/// The kinds in which the two differ.
std::set<std::string> kinds_between(const audio::FrontEnd& a, const audio::FrontEnd& b);
/// `from` with every member of a kind taken from `other`.
audio::FrontEnd with_kind_of(audio::FrontEnd from, const audio::FrontEnd& other,
                             const std::string& kind);
/// "the app's logarithm is ln; the reference's is log10".
std::string described(const audio::FrontEnd& app, const audio::FrontEnd& reference,
                      const std::string& kind);

}  // namespace edgeprobe::diagnose::sound
