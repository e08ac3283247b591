// SPDX-License-Identifier: Apache-2.0
#include "audio/signal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "audio/misread.h"

namespace edgeprobe::audio {
namespace {

using Signal = std::vector<double>;

/// A sample whose bytes an app misreads. Only integer 16-bit samples have these bytes.
double misread(double sample, const FrontEnd& f) {
  auto whole = static_cast<std::int32_t>(std::clamp(std::nearbyint(sample), -32768.0, 32767.0));
  if (f.big_endian) {
    const auto bits = static_cast<std::uint16_t>(whole);
    whole = static_cast<std::int16_t>(static_cast<std::uint16_t>((bits >> 8) | (bits << 8)));
  }
  // Rounds down, as a shift does.
  if (f.bits == 8) whole = whole >= 0 ? whole / 256 * 256 : -((-whole + 255) / 256) * 256;
  return whole;
}

Result<Signal> one_channel(const FrontEnd& f, const Clip& clip) {
  const std::vector<float> samples = samples_read_as(clip, f.read_as);
  Signal all(samples.begin(), samples.end());
  if (f.big_endian || f.bits == 8)
    for (double& sample : all) sample = misread(sample, f);
  const auto channels = static_cast<std::size_t>(clip.channels);
  Signal out;
  if (f.mono == Mono::kDoubled) {
    for (std::size_t i = 0; i < all.size(); i += channels) out.insert(out.end(), 2, all[i]);
    return out;
  }
  if (f.mono == Mono::kHalved) {
    for (std::size_t i = 0; i < all.size(); i += 2 * channels) out.push_back(all[i]);
    return out;
  }
  if (channels == 1 || f.mono == Mono::kInterleaved) return all;
  out.resize(all.size() / channels);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double* const frame = all.data() + i * channels;
    double sum = 0;
    for (std::size_t c = 0; c < channels; ++c) sum += frame[c];
    switch (f.mono) {
      case Mono::kLeft: out[i] = frame[0]; break;
      case Mono::kRight: out[i] = frame[1]; break;
      case Mono::kSum: out[i] = sum; break;
      default: out[i] = sum / static_cast<double>(channels);
    }
  }
  return out;
}

void move_in_time(Signal& x, const FrontEnd& f) {
  const auto most = static_cast<std::ptrdiff_t>(x.size());
  if (f.skip > 0) x.erase(x.begin(), x.begin() + std::min<std::ptrdiff_t>(f.skip, most));
  if (f.skip < 0) x.insert(x.begin(), static_cast<std::size_t>(-f.skip), 0.0);
  const auto size = static_cast<std::ptrdiff_t>(x.size());
  if (f.lost > 0 && f.lost_at < size)
    x.erase(x.begin() + f.lost_at, x.begin() + std::min<std::ptrdiff_t>(f.lost_at + f.lost, size));
}

void change_level(Signal& x, const FrontEnd& f) {
  if (f.gain == 1 && f.dc == 0 && !f.clipped) return;
  for (double& sample : x) {
    sample = sample * f.gain + f.dc;
    if (f.clipped) sample = std::clamp(sample, -32768.0, 32767.0);
  }
}

void fit_length(Signal& x, const FrontEnd& f) {
  const auto wanted = static_cast<std::size_t>(f.length);
  if (wanted == 0) return;
  if (x.size() > wanted) x.resize(wanted);
  if (f.audio_end == 0) return;  // Features are padded instead.
  if (f.roll != 0) {
    x.resize(wanted);
    std::rotate(x.begin(),
                x.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(f.roll) % wanted),
                x.end());
  }
  const std::size_t had = x.size(), missing = wanted - had;
  if (missing == 0) return;
  if (f.pad_at == PadAt::kRepeat && had > 0) {
    x.resize(wanted);
    for (std::size_t i = had; i < wanted; ++i) x[i] = x[i - had];
    return;
  }
  const std::size_t front = f.pad_at == PadAt::kStart  ? missing
                            : f.pad_at == PadAt::kBoth ? missing / 2
                                                       : 0;
  x.insert(x.begin(), front, 0.0);
  x.resize(wanted);
}

void emphasize(Signal& x, double factor) {
  for (std::size_t i = x.size(); i-- > 1;) x[i] -= factor * x[i - 1];
}

}  // namespace

Result<Signal> signal_of(const FrontEnd& f, const Clip& clip) {
  if (clip.samples.empty() || clip.channels < 1 || !(clip.rate > 0))
    return Error{ErrorKind::kUsage, "the recording has no samples or no rate"};
  if (f.mono == Mono::kRight && clip.channels < 2)
    return Error{ErrorKind::kUsage,
                 "mono(right): the recording has one channel; use mono(mean) or mono(left)"};
  if ((f.big_endian || f.bits == 8) && !clip.whole)
    return Error{ErrorKind::kUsage, "bytes(): only 16-bit samples have the bytes it is about"};
  auto x = one_channel(f, clip);
  if (!x) return x;
  const double from = f.believed > 0 ? f.believed : clip.rate, to = f.rate > 0 ? f.rate : clip.rate;
  x = resampled(*x, from, to, f.kernel);
  if (!x) return x;
  move_in_time(*x, f);
  change_level(*x, f);
  if (f.band > 0 && f.band < to) {
    auto narrow = resampled(*x, to, f.band, Kernel::kSoxr);
    if (!narrow) return narrow;
    x = resampled(*narrow, f.band, to, Kernel::kSoxr);
    if (!x) return x;
  }
  fit_length(*x, f);
  if (x->empty()) return Error{ErrorKind::kUsage, "no sample is left of the recording"};
  double factor = f.scale;
  if (f.scale_by != ScaleBy::kFactor) {
    double most = 1;
    for (const double sample : *x)
      most = std::max(most, f.scale_by == ScaleBy::kMax ? sample : std::abs(sample));
    factor = 1 / most;
  }
  for (double& sample : *x) sample *= factor;
  if (f.preemphasis != 0 && f.pre_at != PreAt::kFrame) {
    emphasize(*x, f.preemphasis);
    if (f.pre_at == PreAt::kSignalTwice) emphasize(*x, f.preemphasis);
  }
  return x;
}

}  // namespace edgeprobe::audio
