// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "audio/front_end.h"
#include "preprocess/recipe/recipe_words.h"

/// The words of recipes of sound.
namespace edgeprobe::preprocess {

inline constexpr std::array kMonoWords{
    Word<audio::Mono>{"mean", audio::Mono::kMean},
    Word<audio::Mono>{"left", audio::Mono::kLeft},
    Word<audio::Mono>{"right", audio::Mono::kRight},
    Word<audio::Mono>{"sum", audio::Mono::kSum},
    Word<audio::Mono>{"interleaved", audio::Mono::kInterleaved},
    Word<audio::Mono>{"halved", audio::Mono::kHalved},
    Word<audio::Mono>{"doubled", audio::Mono::kDoubled},
};
inline constexpr std::array kSoundKernelWords{
    Word<audio::Kernel>{"soxr", audio::Kernel::kSoxr},
    Word<audio::Kernel>{"poly", audio::Kernel::kPoly},
    Word<audio::Kernel>{"sinc", audio::Kernel::kSinc},
    Word<audio::Kernel>{"linear", audio::Kernel::kLinear},
    Word<audio::Kernel>{"nearest", audio::Kernel::kNearest},
};
inline constexpr std::array kPadWords{
    Word<audio::PadAt>{"end", audio::PadAt::kEnd},
    Word<audio::PadAt>{"start", audio::PadAt::kStart},
    Word<audio::PadAt>{"both", audio::PadAt::kBoth},
    Word<audio::PadAt>{"repeat", audio::PadAt::kRepeat},
};
inline constexpr std::array kPreWords{
    Word<audio::PreAt>{"signal", audio::PreAt::kSignal},
    Word<audio::PreAt>{"frame", audio::PreAt::kFrame},
    Word<audio::PreAt>{"twice", audio::PreAt::kSignalTwice},
};
inline constexpr std::array kWindowWords{
    Word<audio::Window>{"hann", audio::Window::kHann},
    Word<audio::Window>{"hann_sym", audio::Window::kHannSym},
    Word<audio::Window>{"hann_mid", audio::Window::kHannMid},
    Word<audio::Window>{"hamming", audio::Window::kHamming},
    Word<audio::Window>{"hamming_sym", audio::Window::kHammingSym},
    Word<audio::Window>{"povey", audio::Window::kPovey},
    Word<audio::Window>{"rect", audio::Window::kRect},
    Word<audio::Window>{"blackman", audio::Window::kBlackman},
};
inline constexpr std::array kCenterWords{
    Word<audio::Center>{"none", audio::Center::kNone},
    Word<audio::Center>{"reflect", audio::Center::kReflect},
    Word<audio::Center>{"zero", audio::Center::kZero},
    Word<audio::Center>{"edge", audio::Center::kEdge},
};
inline constexpr std::array kLastWords{
    Word<audio::Last>{"full", audio::Last::kFull},
    Word<audio::Last>{"drop", audio::Last::kDrop},
    Word<audio::Last>{"pad", audio::Last::kPad},
};
inline constexpr std::array kFrameDcWords{Word<bool>{"keep", false}, Word<bool>{"remove", true}};
inline constexpr std::array kPlaceInFftWords{Word<bool>{"left", false}, Word<bool>{"middle", true}};
inline constexpr std::array kSpectrumNormWords{
    Word<audio::SpectrumNorm>{"none", audio::SpectrumNorm::kNone},
    Word<audio::SpectrumNorm>{"length", audio::SpectrumNorm::kLength},
    Word<audio::SpectrumNorm>{"window", audio::SpectrumNorm::kWindow},
};
inline constexpr std::array kMelScaleWords{
    Word<audio::MelScale>{"htk", audio::MelScale::kHtk},
    Word<audio::MelScale>{"slaney", audio::MelScale::kSlaney},
};
inline constexpr std::array kTriangleWords{
    Word<audio::Triangles>{"mel", audio::Triangles::kMel},
    Word<audio::Triangles>{"hz", audio::Triangles::kHz},
    Word<audio::Triangles>{"bins", audio::Triangles::kBins},
};
inline constexpr std::array kMelNormWords{
    Word<audio::MelNorm>{"none", audio::MelNorm::kNone},
    Word<audio::MelNorm>{"slaney", audio::MelNorm::kSlaney},
    Word<audio::MelNorm>{"sum", audio::MelNorm::kSum},
};
inline constexpr std::array kMelOrderWords{Word<bool>{"rising", false},
                                           Word<bool>{"falling", true}};
inline constexpr std::array kLogWords{
    Word<audio::Log>{"ln", audio::Log::kLn},       Word<audio::Log>{"log10", audio::Log::kLog10},
    Word<audio::Log>{"db", audio::Log::kDb},       Word<audio::Log>{"db20", audio::Log::kDb20},
    Word<audio::Log>{"log2", audio::Log::kLog2},   Word<audio::Log>{"none", audio::Log::kNone},
    Word<audio::Log>{"micro", audio::Log::kMicro},
};
inline constexpr std::array kDctWords{
    Word<audio::Dct>{"ortho", audio::Dct::kOrtho},
    Word<audio::Dct>{"plain", audio::Dct::kPlain},
    Word<audio::Dct>{"half", audio::Dct::kHalf},
    Word<audio::Dct>{"htk", audio::Dct::kHtk},
};
inline constexpr std::array kC0Words{
    Word<audio::C0>{"keep", audio::C0::kKeep},
    Word<audio::C0>{"dropped", audio::C0::kDropped},
    Word<audio::C0>{"energy", audio::C0::kEnergy},
};
inline constexpr std::array kUtteranceWords{
    Word<audio::Utterance>{"none", audio::Utterance::kNone},
    Word<audio::Utterance>{"mean", audio::Utterance::kMean},
    Word<audio::Utterance>{"mean_variance", audio::Utterance::kMeanAndVariance},
};
inline constexpr std::array kFillWords{Word<bool>{"end", false}, Word<bool>{"start", true}};
inline constexpr std::array kSoundLayoutWords{Word<bool>{"time_first", false},
                                              Word<bool>{"frequency_first", true}};
inline constexpr std::array kCodesWords{
    Word<audio::Codes>{"half_up", audio::Codes::kNearest},
    Word<audio::Codes>{"half_even", audio::Codes::kHalfEven},
    Word<audio::Codes>{"floor", audio::Codes::kFloor},
    Word<audio::Codes>{"wrap", audio::Codes::kWrap},
};

}  // namespace edgeprobe::preprocess
