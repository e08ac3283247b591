// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "audio/front_end.h"

namespace edgeprobe::audio {

/// A front end that an implementation has by default, for a second or so of sound.
struct NamedFrontEnd {
  const char* name;  ///< "whisper".
  const char* of;    ///< "Whisper's log mel spectrogram".
  FrontEnd front_end;
};
std::span<const NamedFrontEnd> named_front_ends();

}  // namespace edgeprobe::audio
