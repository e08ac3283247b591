// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "audio/front_end.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// A matrix of real numbers: a row per frame with its coefficients, or a row per sample with one
/// value.
struct Rows {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  double* row(std::size_t i) { return values.data() + i * columns; }
  const double* row(std::size_t i) const { return values.data() + i * columns; }
};

/// A window's weights. Formulas: docs/reference/recipes.md.
std::vector<double> window_of(Window window, int size);

/// True if an FFT of that length is supported: 2 to 16384, with factors up to 7.
bool is_fft_length(int length);

/// The squared magnitudes of each frame's spectrum, nfft/2 + 1 values.
Result<Rows> power_spectrum(const FrontEnd& front_end, const std::vector<double>& signal);

}  // namespace edgeprobe::audio
