// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/changes.h"

#include <cmath>
#include <utility>

#include "audio/spectrum.h"
#include "preprocess/recipe/sound_steps.h"
#include "recipe/read.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;

/// Collects front ends with one changed value.
class Changes {
 public:
  explicit Changes(const FrontEnd& from) : from_(from) {}

  template <class T>
  void each(T FrontEnd::*member, std::initializer_list<T> values) {
    for (const T& value : values)
      if (from_.*member != value) with([&](FrontEnd& f) { f.*member = value; });
  }
  /// Adds every other value that a recipe argument allows.
  void each(const char* argument) {
    const recipe::Field& field = *recipe::find_field(preprocess::sound_steps(), argument);
    for (const recipe::Value& value : recipe::other_values(field))
      with([&](FrontEnd& f) { field.member.set(&f, value); });
  }
  template <class Change>
  void with(Change change) {
    FrontEnd f = from_;
    change(f);
    if (!(f == from_)) made_.push_back(f);
  }
  std::vector<FrontEnd> take() { return std::move(made_); }

 private:
  const FrontEnd& from_;
  std::vector<FrontEnd> made_;
};

int next_power_of_two(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

constexpr std::pair<audio::ScaleBy, double> kScales[] = {{audio::ScaleBy::kFactor, 1.0},
                                                         {audio::ScaleBy::kFactor, 1.0 / 32768},
                                                         {audio::ScaleBy::kFactor, 1.0 / 32767},
                                                         {audio::ScaleBy::kMax, 1.0 / 32768},
                                                         {audio::ScaleBy::kAbsMax, 1.0 / 32768}};

void change_scales(Changes& out, bool with_32767) {
  for (const auto& [by, factor] : kScales) {
    if (!with_32767 && factor == 1.0 / 32767) continue;
    out.with([&, by = by, factor = factor](FrontEnd& f) {
      if (f.scale_by == by && by != audio::ScaleBy::kFactor) return;
      f.scale_by = by;
      if (by == audio::ScaleBy::kFactor) f.scale = factor;
    });
  }
}

void change_rate(Changes& out, const audio::Clip& clip) {
  for (const double rate : {8000., 11025., 12000., 16000., 22050., 24000., 32000., 44100., 48000.})
    out.with([&](FrontEnd& f) { f.believed = rate == clip.rate ? 0 : rate; });
}
void change_hop(Changes& out) { out.each("frame.hop"); }

void change_signal(Changes& out, const FrontEnd& from, const audio::Clip& clip) {
  using audio::Mono;
  if (clip.whole) {
    out.each("bytes.endian");
    out.each("bytes.bits");
    out.each("bytes.format");
  }
  if (clip.channels > 1)
    out.each(&FrontEnd::mono,
             {Mono::kMean, Mono::kLeft, Mono::kRight, Mono::kSum, Mono::kInterleaved});
  else out.each(&FrontEnd::mono, {Mono::kMean, Mono::kHalved, Mono::kDoubled});
  change_rate(out, clip);
  if (from.rate > 0 && (from.rate != clip.rate || from.believed > 0)) out.each("resample.kernel");
  out.each("band.rate");
  change_scales(out, true);
  if (from.length > 0) out.each("pad.side");
  for (const double gain : {2., 4., 8.})
    out.with([&](FrontEnd& f) {
      f.gain = gain;
      f.clipped = true;
    });
  out.each("preemphasis.factor");
  if (from.preemphasis != 0) {
    out.each(&FrontEnd::pre_at, {audio::PreAt::kSignal, audio::PreAt::kSignalTwice});
    if (!from.is_waveform()) out.each(&FrontEnd::pre_at, {audio::PreAt::kFrame});
  } else if (!from.is_waveform()) {
    out.with([](FrontEnd& f) {
      f.preemphasis = .97;
      f.pre_at = audio::PreAt::kFrame;
    });
  }
}

void change_frames(Changes& out, const FrontEnd& from) {
  for (const int win : {256, 320, 400, 480, 512, 640, 1024, 2048}) {
    if (win == from.win) continue;
    const bool tight = from.nfft == from.win;
    const int nfft = tight ? win : from.nfft >= win ? from.nfft : next_power_of_two(win);
    out.with([&](FrontEnd& f) {
      f.win = win;
      f.nfft = nfft;
    });
    if (tight && from.nfft >= win) out.with([&](FrontEnd& f) { f.win = win; });
    if (tight)
      out.with([&](FrontEnd& f) {
        f.win = win;
        f.nfft = next_power_of_two(win);
      });
  }
  change_hop(out);
  for (const int nfft : {256, 400, 480, 512, 1024, 2048})
    if (nfft >= from.win) out.each(&FrontEnd::nfft, {nfft});
  for (const char* const argument :
       {"window.shape", "frame.center", "frame.last", "frame.dc", "power.exponent"})
    out.each(argument);
  if (from.nfft > from.win) out.each("fft.place");
}

void change_mel(Changes& out) {
  for (const auto scale : {audio::MelScale::kHtk, audio::MelScale::kSlaney})
    for (const auto triangles :
         {audio::Triangles::kMel, audio::Triangles::kHz, audio::Triangles::kBins})
      out.with([&](FrontEnd& f) {
        f.mel_scale = scale;
        f.triangles = triangles;
      });
}

void change_bank(Changes& out, const FrontEnd& from) {
  change_mel(out);
  out.each(&FrontEnd::fmin, {0., 20., 50., 60., 64., 80., 100., 125., 133.333333333333, 300.});
  for (const double fmax :
       {3400., 3700., 3800., 4000., 5512.5, 6800., 7000., 7500., 7600., 7800., 8000.})
    if (fmax <= from.rate / 2) out.each(&FrontEnd::fmax, {fmax});
  if (from.dct == audio::Dct::kNone) out.each("mel.order");
  out.each("layout.order");
  if (from.dct != audio::Dct::kNone) {
    for (const int mels : {13, 20, 23, 26, 32, 40, 64, 80, 128})
      if (mels >= from.coefficients) out.each(&FrontEnd::mels, {mels});
    out.each("dct.c0");
    out.each(&FrontEnd::mel_norm, {audio::MelNorm::kNone, audio::MelNorm::kSlaney});
  }
  if (from.log == audio::Log::kMicro) return;
  out.each(&FrontEnd::log, {audio::Log::kNone});
  for (const auto by : {audio::FloorBy::kAdd, audio::FloorBy::kMax})
    for (const double floor :
         {1e-12, 1e-10, 1e-9, 1e-8, 1.1920928955078125e-07, 1e-7, 1e-6, 1e-5, 1e-3, 1e-2, 1.0})
      out.with([&](FrontEnd& f) {
        f.floor_by = by;
        f.floor = floor;
      });
  if (from.range > 0) {
    out.with([](FrontEnd& f) { f.range = 0; });
    out.with([](FrontEnd& f) {
      f.range = f.mean = 0;
      f.std = 1;
    });
  }
}

}  // namespace

std::vector<FrontEnd> structural_changes(const FrontEnd& from, const audio::Clip& clip) {
  Changes out(from);
  change_signal(out, from, clip);
  if (!from.is_waveform()) {
    change_frames(out, from);
    change_bank(out, from);
  }
  return out.take();
}

std::vector<FrontEnd> stretched(const FrontEnd& from, const audio::Clip& clip) {
  std::vector<FrontEnd> all;
  if (from.is_waveform()) return all;
  Changes rates(from);
  change_rate(rates, clip);
  if (clip.channels == 1)
    rates.each(&FrontEnd::mono, {audio::Mono::kHalved, audio::Mono::kDoubled});
  for (const FrontEnd& one : rates.take()) {
    Changes hops(one);
    change_hop(hops);
    for (const FrontEnd& both : hops.take()) all.push_back(both);
  }
  return all;
}

std::vector<FrontEnd> other_mel_scales(const FrontEnd& from) {
  Changes out(from);
  if (!from.is_waveform()) change_mel(out);
  return out.take();
}

std::vector<FrontEnd> affine_changes(const FrontEnd& from) {
  using audio::Log;
  Changes out(from);
  if (!from.is_waveform()) out.each("normalize.utterance");
  out.with([](FrontEnd& f) {
    f.mean = 0;
    f.std = 1;
  });
  if (from.range > 0) {  // With another logarithm, the floor may become active.
    out.with([](FrontEnd& f) {
      f.range = f.mean = 0;
      f.std = 1;
    });
    out.with([](FrontEnd& f) { f.range = 0; });
  }
  if (from.quantize) {
    out.each(&FrontEnd::codes, {audio::Codes::kNearest, audio::Codes::kFloor, audio::Codes::kWrap});
    out.each("quantize.sign");
    out.each(&FrontEnd::code_zero, {std::optional<int>(0), std::optional<int>(-128)});
  }
  if (from.is_waveform()) {
    out.with([](FrontEnd& f) { f.mean = f.std = .5; });
    change_scales(out, true);
    return out.take();
  }
  if (from.log != Log::kMicro && from.log != Log::kNone)
    out.each(&FrontEnd::log, {Log::kLn, Log::kLog10, Log::kDb, Log::kDb20, Log::kLog2});
  out.each("mel.norm");
  change_scales(out, false);
  out.each("power.norm");
  if (from.dct != audio::Dct::kNone) {
    out.each("dct.norm");
    out.each("lifter.coefficients");
    out.each("mel.order");  // Changes the sign of every other coefficient.
  }
  return out.take();
}

}  // namespace edgeprobe::diagnose::sound
