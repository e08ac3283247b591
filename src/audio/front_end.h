// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace edgeprobe::audio {

/// A sound front end as values: the steps from a recording to a model input, in the order of the
/// members. The conventions are those of docs/reference/recipes.md. Some members differ from their
/// default only in faulty apps; a recipe needs them to describe such an app.

enum class Mono { kMean, kLeft, kRight, kSum, kInterleaved, kHalved, kDoubled };
/// Bytes of one format misread as another.
enum class ReadAs {
  kStored,
  kFloatAsInt32,
  kFloatAsInt16,
  kInt32AsInt16,
  kInt24AsInt16,
  kInt16AsInt32,
  kInt16AsInt24,
  kInt16AsUint16,
  kInt16AsUint8,
  kInt16AsInt8,
  kShifted14,  ///< 32-bit words, shifted down by 14 instead of 16.
};
enum class Kernel { kSoxr, kPoly, kSinc, kLinear, kLinearEnds, kNearest };
enum class PadAt { kEnd, kStart, kBoth, kRepeat };
enum class ScaleBy { kFactor, kMax, kAbsMax };
enum class PreAt { kSignal, kFrame, kSignalTwice };
enum class Window { kHann, kHannSym, kHannMid, kHamming, kHammingSym, kPovey, kRect, kBlackman };
enum class Center { kNone, kReflect, kZero, kEdge };
enum class Last { kFull, kDrop, kPad };
enum class SpectrumNorm { kNone, kLength, kWindow };
enum class MelScale { kHtk, kSlaney };
enum class Triangles { kMel, kHz, kBins };
enum class MelNorm { kNone, kSlaney, kSum };
enum class Log { kLn, kLog10, kDb, kDb20, kLog2, kNone, kMicro };
enum class FloorBy { kAdd, kMax };
enum class Dct { kNone, kOrtho, kPlain, kHalf, kHtk };
enum class C0 { kKeep, kDropped, kEnergy };
/// kRunningMean: mean of the rows so far. kMeanAndSampleVariance: divides by n - 1 instead of n.
enum class Utterance { kNone, kMean, kMeanAndVariance, kMeanAndSampleVariance, kRunningMean };
enum class Codes { kNearest, kHalfEven, kFloor, kWrap };

struct FrontEnd {
  // Reading the bytes.
  bool big_endian = false;
  int bits = 16;  ///< 8: the lower byte of each sample is lost.
  ReadAs read_as = ReadAs::kStored;
  // The signal.
  Mono mono = Mono::kMean;
  double rate = 0;      ///< Hz after resampling; 0: as recorded.
  double believed = 0;  ///< Assumed rate of the recording in Hz; 0: its actual rate.
  Kernel kernel = Kernel::kSoxr;
  int skip = 0;     ///< Samples dropped at the start; if negative, zeros added there.
  int roll = 0;     ///< The signal is a ring buffer, read from this sample on.
  int lost_at = 0;  ///< Position of `lost` missing samples.
  int lost = 0;
  double gain = 1, dc = 0;  ///< DC in 16-bit units.
  bool clipped = false;     ///< Clipped at full scale after the gain.
  double band = 0;          ///< Hz: the signal is resampled to this rate and back; 0: it is not.
  int length = 0;           ///< Samples, cut or padded; 0: unchanged.
  PadAt pad_at = PadAt::kEnd;
  ScaleBy scale_by = ScaleBy::kFactor;
  double scale = 1.0 / 32768;
  double preemphasis = 0;  ///< 0: none.
  PreAt pre_at = PreAt::kSignal;
  // Frames and their spectrum. Window 0: the model takes the signal itself.
  int win = 0, hop = 0;
  Center center = Center::kNone;
  Last last = Last::kFull;
  bool frame_dc = false;  ///< Subtract the mean of each frame.
  Window window = Window::kHann;
  int nfft = 0;
  bool middle = false;  ///< Frames of nfft samples with the window in the middle.
  int power = 2;
  SpectrumNorm spectrum_norm = SpectrumNorm::kNone;
  // Filter bank, logarithm, cepstrum.
  int mels = 0;
  double fmin = 0, fmax = 0;
  MelScale mel_scale = MelScale::kHtk;
  Triangles triangles = Triangles::kMel;
  MelNorm mel_norm = MelNorm::kNone;
  bool mels_reversed = false;
  Log log = Log::kLn;
  double floor = 1e-6;
  FloorBy floor_by = FloorBy::kAdd;
  double range = 0;  ///< Floor relative to the largest value; 0: no limit.
  Dct dct = Dct::kNone;
  int coefficients = 0;  ///< Number of cepstral coefficients kept.
  C0 c0 = C0::kKeep;
  double lifter = 0;  ///< 0: none.
  // Output.
  double mean = 0, std = 1;
  Utterance utterance = Utterance::kNone;
  int frames = 0;  ///< Rows, cut or padded; 0: unchanged.
  double fill = 0;
  bool fill_in_front = false;
  int audio_end = -1;  ///< Samples used for features. -1: all; 0: the recording, unpadded.
  bool frequency_first = false;
  bool quantize = false;
  std::optional<double> code_scale;  ///< Scale for `quantize`; if unset, that of the model's input.
  std::optional<int> code_zero;
  Codes codes = Codes::kNearest;
  bool sign_flipped = false;

  bool operator==(const FrontEnd&) const = default;
  bool is_waveform() const { return win == 0; }
};

/// The default front end of an implementation, for about a second of sound.
struct NamedFrontEnd {
  const char* name;  ///< "whisper".
  const char* of;    ///< "Whisper's log mel spectrogram".
  FrontEnd front_end;
};
std::span<const NamedFrontEnd> named_front_ends();

}  // namespace edgeprobe::audio
