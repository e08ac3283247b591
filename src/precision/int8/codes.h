// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::precision {

/// Codes of a tensor: real = scale * (code - zero).
struct Codes {
  float scale = 1;
  int zero = 0;
  int low = -128, high = 127;
  /// The real number that is left of one.
  float stored(float value) const;
};
/// As converters make them of the values that calibrate: 255 steps, zero among them.
Codes codes_of(float low, float high);
/// 127 steps on each side of zero, as weights have them.
Codes even_codes_of(float largest);

}  // namespace edgeprobe::precision
