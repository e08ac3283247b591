// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// The first half of a front end: one channel at its rate, cut or padded, scaled, and
/// pre-emphasised unless that is done by frame. kUsage for an unsuitable recording.
Result<std::vector<double>> signal_of(const FrontEnd& front_end, const Clip& clip);

/// Resamples a signal by the convention of one library: libsoxr's "HQ" (librosa's default), SciPy's
/// resample_poly, torchaudio's sinc (width 6, roll-off .99), linear as np.interp, or the previous
/// sample. kUnsupported if libsoxr is required but missing.
Result<std::vector<double>> resampled(const std::vector<double>& signal, double from, double to,
                                      Kernel kernel);

}  // namespace edgeprobe::audio
