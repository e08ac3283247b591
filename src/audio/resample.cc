// SPDX-License-Identifier: Apache-2.0
#include "audio/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "audio/clip.h"
#include "audio/shared_object.h"

namespace edgeprobe::audio {
namespace {

using Signal = std::vector<double>;
constexpr double kPi = std::numbers::pi;

Result<Signal> by_soxr(const Signal& in, double from, double to) {
  // The C interface of libsoxr 0.1 (soxr.h): float32 input and output by default, quality HQ
  // (number 4 in soxr.h).
  struct Quality {
    double precision, phase, passband_end, stopband_begin;
    void* reserved;
    unsigned long flags;
  };
  using QualityOf = Quality (*)(unsigned long, unsigned long);
  using OneShot =
      const char* (*)(double, double, unsigned, const void*, std::size_t, std::size_t*, void*,
                      std::size_t, std::size_t*, const void*, const void*, const void*);
  static const SharedObject file("libsoxr.so.0");
  static const auto one_shot = reinterpret_cast<OneShot>(file.find("soxr_oneshot"));
  static const auto quality_of = reinterpret_cast<QualityOf>(file.find("soxr_quality_spec"));
  if (!one_shot || !quality_of)
    return Error{ErrorKind::kUnsupported,
                 "resampling by soxr needs libsoxr.so.0, which is not here: apt install libsoxr0, "
                 "or choose poly, sinc, linear or nearest"};
  const std::vector<float> narrow(in.begin(), in.end());
  std::vector<float> out(
      static_cast<std::size_t>(std::ceil(static_cast<double>(in.size()) * to / from - 1e-9)));
  std::size_t used = 0, made = 0;
  const Quality quality = quality_of(4, 0);
  const char* const failed = one_shot(from, to, 1, narrow.data(), narrow.size(), &used, out.data(),
                                      out.size(), &made, nullptr, &quality, nullptr);
  if (failed) return Error{ErrorKind::kUnsupported, std::string("libsoxr: ") + failed};
  out.resize(made);
  return Signal(out.begin(), out.end());
}

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 60 && term > 1e-17 * sum; ++k) {
    term *= (x / (2.0 * k)) * (x / (2.0 * k));
    sum += term;
  }
  return sum;
}

double sinc(double x) { return x == 0 ? 1 : std::sin(kPi * x) / (kPi * x); }

struct Ratio {
  long up = 1, down = 1;
};
/// The filters need a ratio of integers.
Result<Ratio> ratio_of(double from, double to) {
  const long a = std::lround(from), b = std::lround(to);
  const long common = std::gcd(a, b);
  const Ratio ratio{b / common, a / common};
  if (std::max(ratio.up, ratio.down) > 4096)
    return Error{ErrorKind::kUnsupported, "resampling " + std::to_string(a) + " Hz to " +
                                              std::to_string(b) +
                                              " Hz takes too long a filter: choose soxr"};
  return ratio;
}

/// SciPy's resample_poly: upsample, a sinc windowed by Kaiser's window (5), downsample.
Result<Signal> by_poly(const Signal& in, double from, double to) {
  EP_TRY(const auto ratio, ratio_of(from, to));
  const long up = ratio.up, down = ratio.down, most = std::max(up, down), half = 10 * most;
  Signal taps(static_cast<std::size_t>(2 * half + 1));
  double sum = 0;
  for (long i = -half; i <= half; ++i) {
    const double r = static_cast<double>(i) / static_cast<double>(half);
    double& tap = taps[static_cast<std::size_t>(i + half)];
    tap = sinc(static_cast<double>(i) / static_cast<double>(most)) *
          bessel_i0(5.0 * std::sqrt(std::max(0.0, 1 - r * r))) / bessel_i0(5.0);
    sum += tap;
  }
  for (double& tap : taps) tap *= static_cast<double>(up) / sum;
  const long n = static_cast<long>(in.size()), count = (n * up + down - 1) / down;
  Signal out(static_cast<std::size_t>(count));
  for (long m = 0; m < count; ++m) {
    // On the fine grid, output m is at m * down and in[k] at k * up.
    const long at = m * down;
    const long first = std::max(0L, (at - half + up - 1) / up),
               last = std::min(n - 1, (at + half) / up);
    double value = 0;
    for (long k = first; k <= last; ++k)
      value += in[static_cast<std::size_t>(k)] * taps[static_cast<std::size_t>(at - k * up + half)];
    out[static_cast<std::size_t>(m)] = value;
  }
  return out;
}

/// torchaudio's: a sinc under a squared cosine, 6 zero crossings wide, roll-off .99.
Result<Signal> by_sinc(const Signal& in, double from, double to) {
  EP_TRY(const auto ratio, ratio_of(from, to));
  const double up = static_cast<double>(ratio.up), down = static_cast<double>(ratio.down);
  const double base = std::min(up, down) * 0.99, width = 6;
  const long n = static_cast<long>(in.size());
  const long count = static_cast<long>(std::ceil(up * static_cast<double>(n) / down));
  const long reach = static_cast<long>(std::ceil(width * down / base));
  Signal out(static_cast<std::size_t>(count));
  for (long m = 0; m < count; ++m) {
    const double at = static_cast<double>(m) * down / up;
    const long middle = static_cast<long>(std::floor(at));
    double value = 0;
    for (long k = std::max(0L, middle - reach); k <= std::min(n - 1, middle + reach + 1); ++k) {
      const double t = std::clamp((static_cast<double>(k) - at) / down * base, -width, width);
      const double window = std::cos(t * kPi / width / 2);
      value += in[static_cast<std::size_t>(k)] * sinc(t) * window * window * base / down;
    }
    out[static_cast<std::size_t>(m)] = value;
  }
  return out;
}

Signal between(const Signal& in, double from, double to, bool linear) {
  const auto count =
      static_cast<std::size_t>(std::nearbyint(static_cast<double>(in.size()) * to / from));
  Signal out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) * (from / to);
    const std::size_t k = std::min(static_cast<std::size_t>(at), in.size() - 1);
    const std::size_t next = std::min(k + 1, in.size() - 1);
    const double share = at >= static_cast<double>(in.size() - 1) ? 0 : at - static_cast<double>(k);
    out[i] = linear ? in[k] + share * (in[next] - in[k]) : in[k];
  }
  return out;
}

/// NumPy's interp over linspace(0, n - 1, count): first and last samples coincide.
Signal between_ends(const Signal& in, double from, double to) {
  const auto count = static_cast<std::size_t>(static_cast<double>(in.size()) * to / from + 1e-9);
  Signal out(count);
  const double step =
      count > 1 ? static_cast<double>(in.size() - 1) / static_cast<double>(count - 1) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) * step;
    const std::size_t k = std::min(static_cast<std::size_t>(at), in.size() - 1);
    const std::size_t next = std::min(k + 1, in.size() - 1);
    out[i] = in[k] + (at - static_cast<double>(k)) * (in[next] - in[k]);
  }
  return out;
}

}  // namespace

Result<Signal> resampled(const Signal& signal, double from, double to, Kernel kernel) {
  if (from == to || signal.empty()) return signal;
  if (static_cast<double>(signal.size()) * to / from > static_cast<double>(kMostSamples))
    return Error{ErrorKind::kLimit, "the resampled recording is too long: cut it"};
  switch (kernel) {
    case Kernel::kSoxr: return by_soxr(signal, from, to);
    case Kernel::kPoly: return by_poly(signal, from, to);
    case Kernel::kSinc: return by_sinc(signal, from, to);
    case Kernel::kLinear: return between(signal, from, to, true);
    case Kernel::kLinearEnds: return between_ends(signal, from, to);
    case Kernel::kNearest: break;
  }
  return between(signal, from, to, false);
}

}  // namespace edgeprobe::audio
