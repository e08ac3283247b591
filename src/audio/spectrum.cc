// SPDX-License-Identifier: Apache-2.0
#include "audio/spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft.hh>
#include <numbers>
#include <string>

#include "audio/clip.h"

namespace edgeprobe::audio {
namespace {

using Signal = std::vector<double>;
constexpr std::size_t kMostCells = std::size_t{1} << 26;

double cosine_window(double a, double at, double period) {
  return a - (1 - a) * std::cos(2 * std::numbers::pi * at / period);
}

Signal centered(const Signal& x, const FrontEnd& f) {
  const auto pad = static_cast<std::ptrdiff_t>(f.nfft / 2),
             n = static_cast<std::ptrdiff_t>(x.size());
  Signal out(static_cast<std::size_t>(n + 2 * pad), 0.0);
  for (std::ptrdiff_t i = 0; i < n + 2 * pad; ++i) {
    std::ptrdiff_t from = i - pad;
    if (from < 0 || from >= n) {
      if (f.center == Center::kZero) continue;
      // A reflection does not repeat the border; if the signal is shorter than the padding, it is
      // reflected repeatedly.
      if (f.center == Center::kEdge || n == 1) from = std::clamp<std::ptrdiff_t>(from, 0, n - 1);
      else {
        const std::ptrdiff_t period = 2 * (n - 1);
        from = ((from % period) + period) % period;
        if (from >= n) from = period - from;
      }
    }
    out[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(from)];
  }
  return out;
}

/// Windowed frames of `win` values each.
Result<Rows> frames_of(const FrontEnd& f, const Signal& signal) {
  Signal x = f.center == Center::kNone ? signal : centered(signal, f);
  const auto win = static_cast<std::size_t>(f.win), hop = static_cast<std::size_t>(f.hop);
  const std::size_t size = f.middle || f.center != Center::kNone
                               ? static_cast<std::size_t>(std::max(f.nfft, f.win))
                               : win;
  if (x.size() < size) x.resize(size, 0.0);
  std::size_t count = 1 + (x.size() - size) / hop;
  if (f.last == Last::kPad) {
    count = 1 + (x.size() - size + hop - 1) / hop;
    x.resize(std::max(x.size(), (count - 1) * hop + size), 0.0);
  }
  if (f.last == Last::kDrop && count > 1) --count;
  if (count > kMostCells / std::max(win, static_cast<std::size_t>(f.nfft)))
    return Error{ErrorKind::kLimit, "the recording makes " + std::to_string(count) +
                                        " frames, too many to hold: cut it by pad(SAMPLES)"};
  const Signal window = window_of(f.window, f.win);
  const std::size_t lead = (size - win) / 2;
  Rows frames{count, win, Signal(count * win)};
  for (std::size_t t = 0; t < count; ++t) {
    double* const row = frames.row(t);
    const double* const from = x.data() + t * hop + lead;
    std::copy(from, from + win, row);
    if (f.frame_dc) {
      double mean = 0;
      for (std::size_t i = 0; i < win; ++i) mean += row[i];
      mean /= static_cast<double>(win);
      for (std::size_t i = 0; i < win; ++i) row[i] -= mean;
    }
    if (f.preemphasis != 0 && f.pre_at == PreAt::kFrame) {
      for (std::size_t i = win; i-- > 1;) row[i] -= f.preemphasis * row[i - 1];
      row[0] -= f.preemphasis * row[0];
    }
    for (std::size_t i = 0; i < win; ++i) row[i] *= window[i];
  }
  return frames;
}

}  // namespace

std::vector<double> window_of(Window window, int size) {
  std::vector<double> out(static_cast<std::size_t>(size));
  const double n = size, symmetric = std::max(1.0, n - 1);
  for (int k = 0; k < size; ++k) {
    const double i = k;
    double& w = out[static_cast<std::size_t>(k)];
    switch (window) {
      case Window::kHann: w = cosine_window(.5, i, n); break;
      case Window::kHannSym: w = cosine_window(.5, i, symmetric); break;
      case Window::kHannMid: w = cosine_window(.5, i + .5, n); break;
      case Window::kHamming: w = cosine_window(.54, i, n); break;
      case Window::kHammingSym: w = cosine_window(.54, i, symmetric); break;
      case Window::kPovey: w = std::pow(std::max(0.0, cosine_window(.5, i, symmetric)), .85); break;
      case Window::kRect: w = 1; break;
      case Window::kBlackman:
        w = .42 - .5 * std::cos(2 * std::numbers::pi * i / symmetric) +
            .08 * std::cos(4 * std::numbers::pi * i / symmetric);
        break;
    }
  }
  return out;
}

bool is_fft_length(int length) {
  if (length < 2 || length > 16384) return false;
  for (const int factor : {2, 3, 5, 7})
    while (length % factor == 0) length /= factor;
  return length == 1;
}

Result<Rows> power_spectrum(const FrontEnd& f, const std::vector<double>& signal) {
  EP_TRY(const auto frames, frames_of(f, signal));
  const auto n = static_cast<std::size_t>(f.nfft), bins = n / 2 + 1;
  // If the window is longer than the FFT, the rest is dropped.
  const std::size_t used = std::min(n, frames.columns);
  Rows power{frames.rows, bins, std::vector<double>(frames.rows * bins)};
  const kissfft<double> fft(n, false);
  std::vector<std::complex<double>> in(n), out(n);
  // Two real frames form one complex frame: their spectra are its even and odd parts.
  for (std::size_t t = 0; t < frames.rows; t += 2) {
    const bool second = t + 1 < frames.rows;
    const double* const both = frames.row(t);
    // Skips digital silence: signals padded to a fixed length contain much of it.
    if (std::all_of(both, both + (second ? 2 : 1) * frames.columns,
                    [](double x) { return x == 0; }))
      continue;
    std::fill(in.begin(), in.end(), std::complex<double>());
    for (std::size_t i = 0; i < used; ++i)
      in[i] = {frames.row(t)[i], second ? frames.row(t + 1)[i] : 0.0};
    fft.transform(in.data(), out.data());
    for (std::size_t k = 0; k < bins; ++k) {
      const std::complex<double> a = out[k], b = std::conj(out[(n - k) % n]);
      power.row(t)[k] = std::norm(a + b) / 4;
      if (second) power.row(t + 1)[k] = std::norm(a - b) / 4;
    }
  }
  return power;
}

}  // namespace edgeprobe::audio
