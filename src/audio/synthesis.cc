// SPDX-License-Identifier: Apache-2.0
#include "audio/synthesis.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "audio/signal.h"

namespace edgeprobe::audio {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{16} << 20, kKeptBanks = 16;

FrontEnd signal_part(FrontEnd f) {
  FrontEnd part;
  part.big_endian = f.big_endian;
  part.bits = f.bits;
  part.read_as = f.read_as;
  part.mono = f.mono;
  part.rate = f.rate;
  part.believed = f.believed;
  part.kernel = f.kernel;
  part.skip = f.skip;
  part.roll = f.roll;
  part.lost_at = f.lost_at;
  part.lost = f.lost;
  part.gain = f.gain;
  part.dc = f.dc;
  part.clipped = f.clipped;
  part.band = f.band;
  part.length = f.length;
  part.pad_at = f.pad_at;
  part.scale_by = f.scale_by;
  part.scale = f.scale;
  part.preemphasis = f.preemphasis;
  part.pre_at = f.pre_at;
  part.audio_end = f.audio_end;
  return part;
}

FrontEnd spectrum_part(const FrontEnd& f) {
  FrontEnd part = signal_part(f);
  part.win = f.win;
  part.hop = f.hop;
  part.nfft = f.nfft;
  part.center = f.center;
  part.last = f.last;
  part.frame_dc = f.frame_dc;
  part.window = f.window;
  part.middle = f.middle;
  part.power = f.power;
  return part;
}

FrontEnd bank_part(const FrontEnd& f) {
  FrontEnd part;
  part.rate = f.rate;
  part.nfft = f.nfft;
  part.mels = f.mels;
  part.fmin = f.fmin;
  part.fmax = f.fmax;
  part.mel_scale = f.mel_scale;
  part.triangles = f.triangles;
  part.mel_norm = f.mel_norm;
  return part;
}

/// A spectrum is proportional to the signal, so front ends that differ by a factor share one.
/// Returns the factor to apply to magnitudes.
double take_level(FrontEnd& f) {
  if (f.scale_by != ScaleBy::kFactor || !(f.scale > 0)) return 1;
  constexpr double kShared = 1.0 / 32768;
  double level = f.scale / kShared;
  f.scale = kShared;
  if (!f.clipped && f.dc == 0 && f.gain > 0) {
    level *= f.gain;
    f.gain = 1;
  }
  return level;
}

template <class Kept>
std::size_t bytes_of(const Kept& kept) {
  if constexpr (requires { kept.made->values; }) return kept.made->values.size() * sizeof(double);
  else return kept.made->size() * sizeof(double);
}

/// Keeps the newest entries within the budget.
template <class Queue>
void trim(Queue& kept) {
  std::size_t held = 0, stay = 0;
  while (stay < kept.size() && (held += bytes_of(kept[stay])) <= kKeptBytes) ++stay;
  kept.resize(std::max<std::size_t>(stay, 1));
}

Rows logarithms(Rows energies, const FrontEnd& f) {
  constexpr double kLn10 = std::numbers::ln10;
  const double factor = f.log == Log::kLog10  ? 1 / kLn10
                        : f.log == Log::kDb   ? 10 / kLn10
                        : f.log == Log::kDb20 ? 20 / kLn10
                        : f.log == Log::kLog2 ? 1 / std::numbers::ln2
                                              : 1;
  for (double& e : energies.values) {
    if (f.floor_by == FloorBy::kAdd) e += f.floor;
    else e = std::max(e, f.floor);
    if (f.log != Log::kNone) e = std::log(std::max(e, 1e-300)) * factor;
  }
  return energies;
}

/// TensorFlow Lite Micro's square root, noise subtraction, gain control and logarithm. Its
/// arithmetic is fixed-point; this truncates to integers at the same places.
Rows micro(Rows energies) {
  std::vector<double> estimate(energies.columns, 0.0);
  for (std::size_t t = 0; t < energies.rows; ++t)
    for (std::size_t m = 0; m < energies.columns; ++m) {
      double& value = energies.row(t)[m];
      const double level = std::floor(std::sqrt(std::max(value, 0.0)) / 8);
      const double smooth = m % 2 == 0 ? .025 : .06;
      double& noise = estimate[m];
      noise = smooth * level + (1 - smooth) * noise;
      const double left = std::max(level - std::min(noise, level), std::floor(.05 * level));
      const double gained =
          left * std::min(2097152.0 * std::pow(noise * 8 + 80, -.95), 32767.0) / 64;
      const double shrunk = gained < 8192 ? gained * gained / 1048576.0 : gained / 64 - 64;
      const double whole = std::floor(shrunk) * 8;
      value = whole > 1 ? 64 * std::log(whole) : 0;
    }
  return energies;
}

/// `spectrum`: magnitudes or power, as the front end uses them; `factor_of_spectrum`: its norm.
Rows cepstrum(const Rows& logs, const Rows& spectrum, double factor_of_spectrum,
              const FrontEnd& f) {
  const std::size_t n = logs.columns, first = f.c0 == C0::kDropped ? 1 : 0;
  const std::size_t wanted = f.coefficients > 0 ? static_cast<std::size_t>(f.coefficients) : n;
  const std::size_t kept = std::min(wanted, n - first);
  std::vector<double> basis(kept * n);
  const auto size = static_cast<double>(n);
  for (std::size_t k = 0; k < kept; ++k) {
    const auto order = static_cast<double>(k + first);
    double factor = 1;
    if (f.dct == Dct::kOrtho) factor = std::sqrt((order == 0 ? 1 : 2) / size);
    if (f.dct == Dct::kPlain) factor = 2;
    if (f.dct == Dct::kHtk) factor = std::sqrt(2 / size);
    if (f.lifter > 0) factor *= 1 + f.lifter / 2 * std::sin(std::numbers::pi * order / f.lifter);
    for (std::size_t m = 0; m < n; ++m)
      basis[k * n + m] = factor * std::cos(std::numbers::pi * order *
                                           (2 * static_cast<double>(m) + 1) / (2 * size));
  }
  Rows out{logs.rows, kept, std::vector<double>(logs.rows * kept)};
  for (std::size_t t = 0; t < logs.rows; ++t) {
    for (std::size_t k = 0; k < kept; ++k) {
      double sum = 0;
      for (std::size_t m = 0; m < n; ++m) sum += basis[k * n + m] * logs.row(t)[m];
      out.row(t)[k] = sum;
    }
    if (f.c0 != C0::kEnergy) continue;
    double energy = 0;
    for (std::size_t k = 0; k < spectrum.columns; ++k) {
      const double p = spectrum.row(t)[k] * factor_of_spectrum;
      energy += f.power == 1 ? p * p : p;
    }
    out.row(t)[0] = std::log(std::max(energy, 2.220446049250313e-16));
  }
  return out;
}

void normalize(Rows& rows, const FrontEnd& f) {
  for (double& value : rows.values) value = (value - f.mean) / f.std;
  if (f.utterance == Utterance::kNone || rows.rows == 0) return;
  const auto n = static_cast<double>(rows.rows);
  for (std::size_t k = 0; k < rows.columns; ++k) {
    double mean = 0, square = 0;
    if (f.utterance == Utterance::kRunningMean) {
      for (std::size_t t = 0; t < rows.rows; ++t) {
        mean += rows.row(t)[k];
        rows.row(t)[k] -= mean / static_cast<double>(t + 1);
      }
      continue;
    }
    for (std::size_t t = 0; t < rows.rows; ++t) mean += rows.row(t)[k];
    mean /= n;
    for (std::size_t t = 0; t < rows.rows; ++t) {
      rows.row(t)[k] -= mean;
      square += rows.row(t)[k] * rows.row(t)[k];
    }
    if (f.utterance == Utterance::kMean) continue;
    const bool of_sample = f.utterance == Utterance::kMeanAndSampleVariance && rows.rows > 1;
    const double deviation = std::max(std::sqrt(square / (of_sample ? n - 1 : n)), 1e-8);
    for (std::size_t t = 0; t < rows.rows; ++t) rows.row(t)[k] /= deviation;
  }
}

void fit_frames(Rows& rows, const FrontEnd& f) {
  const auto wanted = static_cast<std::size_t>(f.frames);
  if (wanted == 0 || rows.rows == wanted) return;
  const std::size_t had = rows.rows;
  if (had < wanted && f.fill_in_front)
    rows.values.insert(rows.values.begin(), (wanted - had) * rows.columns, f.fill);
  rows.values.resize(wanted * rows.columns, f.fill);
  rows.rows = wanted;
}

Error contradiction(const std::string& what) { return {ErrorKind::kUsage, what}; }

}  // namespace

Status check(const FrontEnd& f) {
  if (f.is_waveform()) {
    if (f.mels > 0 || f.dct != Dct::kNone || f.nfft > 0)
      return contradiction("frame(win=…, hop=…) is missing before the spectrum");
    return {};
  }
  if (f.hop < 1) return contradiction("frame() needs a hop of at least 1 sample");
  if (f.nfft < 1) return contradiction("fft(N) is missing after frame()");
  if (f.mels < 1) return contradiction("mel(N, LOW..HIGH) is missing after fft()");
  const double rate = f.rate;
  if (!(rate > 0)) return contradiction("a filter bank needs resample(RATE) before it");
  if (!(f.fmin >= 0 && f.fmin < f.fmax && f.fmax <= rate / 2))
    return contradiction("mel(): its edges are not in order between 0 and half the rate");
  if (f.dct != Dct::kNone && f.coefficients > f.mels)
    return contradiction("dct() keeps more coefficients than mel() has filters");
  return {};
}

Result<std::shared_ptr<const std::vector<double>>> Synthesis::signal(const FrontEnd& f) {
  const FrontEnd part = signal_part(f);
  for (const auto& kept : signals_)
    if (kept.of == part) return kept.made;
  EP_TRY(auto made, signal_of(f, *clip_));
  work_ += 30e-3 * static_cast<double>(made.size());
  if (f.audio_end > 0 && static_cast<std::size_t>(f.audio_end) < made.size())
    made.resize(static_cast<std::size_t>(f.audio_end));
  signals_.push_front({part, std::make_shared<const std::vector<double>>(std::move(made))});
  trim(signals_);
  return signals_.front().made;
}

Result<std::shared_ptr<const Rows>> Synthesis::spectrum(const FrontEnd& f) {
  const FrontEnd part = spectrum_part(f);
  for (std::size_t i = 0; i < spectra_.size(); ++i)
    if (spectra_[i].of == part) {
      if (i > 0)
        std::rotate(spectra_.begin(), spectra_.begin() + static_cast<std::ptrdiff_t>(i),
                    spectra_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return spectra_.front().made;
    }
  EP_TRY(auto x, signal(f));
  EP_TRY(auto made, power_spectrum(f, *x));
  if (f.power == 1)
    for (double& p : made.values) p = std::sqrt(p);
  work_ += 1e-3 * static_cast<double>(made.rows) * f.nfft * (2 + std::log2(f.nfft));
  spectra_.push_front({part, std::make_shared<const Rows>(std::move(made))});
  trim(spectra_);
  return spectra_.front().made;
}

std::shared_ptr<const FilterBank> Synthesis::bank(const FrontEnd& f) {
  const FrontEnd part = bank_part(f);
  for (const auto& kept : banks_)
    if (kept.of == part) return kept.made;
  banks_.push_front({part, std::make_shared<const FilterBank>(filter_bank(f, f.rate))});
  if (banks_.size() > kKeptBanks) banks_.pop_back();
  return banks_.front().made;
}

Result<Rows> Synthesis::features(const FrontEnd& f) {
  EP_CHECK(check(f));
  if (f.is_waveform()) {
    EP_TRY(auto x, signal(f));
    Rows rows{x->size(), 1, *x};
    normalize(rows, f);
    fit_frames(rows, f);
    return rows;
  }
  FrontEnd leveled = f;
  const double level = take_level(leveled);
  EP_TRY(auto shared, spectrum(leveled));
  const Rows& spectrum = *shared;
  const double n = f.nfft;
  double factor = f.power == 1 ? level : level * level;
  if (f.spectrum_norm == SpectrumNorm::kLength) factor /= n;
  if (f.spectrum_norm == SpectrumNorm::kWindow) {
    double sum = 0;
    for (const double w : window_of(f.window, f.win)) sum += w;
    factor *= std::pow(sum, -f.power);
  }
  Rows rows = filtered(*bank(f), spectrum);
  if (factor != 1)
    for (double& value : rows.values) value *= factor;
  work_ += 1e-3 * static_cast<double>(rows.values.size()) * 40;
  if (f.log == Log::kMicro) rows = micro(std::move(rows));
  else rows = logarithms(std::move(rows), f);
  if (f.range > 0 && f.log != Log::kMicro) {
    const double least = *std::max_element(rows.values.begin(), rows.values.end()) - f.range;
    for (double& value : rows.values) value = std::max(value, least);
  }
  if (f.mels_reversed)
    for (std::size_t t = 0; t < rows.rows; ++t)
      std::reverse(rows.row(t), rows.row(t) + rows.columns);
  if (f.dct != Dct::kNone) rows = cepstrum(rows, spectrum, factor, f);
  normalize(rows, f);
  fit_frames(rows, f);
  return rows;
}

}  // namespace edgeprobe::audio
