// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// The first half of a front end: one channel at its rate, cut or padded, scaled, pre-emphasised
/// unless that is done in frames. kUsage for a recording that it cannot be made of.
Result<std::vector<double>> signal_of(const FrontEnd& front_end, const Clip& clip);

/// A signal at another rate, by the convention of one library: libsoxr's "HQ" (librosa's default),
/// SciPy's resample_poly, torchaudio's sinc (width 6, roll-off .99), linear as np.interp, or the
/// sample before. kUnsupported where libsoxr is needed and not here.
Result<std::vector<double>> resampled(const std::vector<double>& signal, double from, double to,
                                      Kernel kernel);

}  // namespace edgeprobe::audio
