// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "audio/spectrum.h"
#include "core/text.h"
#include "preprocess/recipe/sound_steps.h"
#include "recipe/print.h"

namespace edgeprobe::preprocess {
namespace {

using audio::FrontEnd;
using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::own;
using recipe::real;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;
using F = FrontEnd;

constexpr double kHighestHz = 1'000'000;

Status check_frame(const Arguments& arguments, const Argument*, void* f) {
  if (as<F>(f).win > 0 && as<F>(f).hop > 0) return {};
  return arguments.error(arguments.at(), "frame needs win= and hop=, in samples");
}

constexpr std::array kCenters{
    Word{"none", audio::Center::kNone}, Word{"reflect", audio::Center::kReflect},
    Word{"zero", audio::Center::kZero}, Word{"edge", audio::Center::kEdge}};
constexpr std::array kLasts{Word{"full", audio::Last::kFull}, Word{"drop", audio::Last::kDrop},
                            Word{"pad", audio::Last::kPad}};
constexpr std::array kFrameDc{Word{"keep", false}, Word{"remove", true}};
constexpr std::array kHops{128.0, 160.0, 200.0, 240.0, 256.0, 320.0, 400.0, 480.0, 512.0};
constexpr std::array kFrame{
    whole("win", member<&F::win>, 2, 16384).called("window length").always(),
    whole("hop", member<&F::hop>, 1, 16384)
        .instead(kHops)
        .called("hop")
        .always()
        .and_then(check_frame),
    word("center", member<&F::center>, kCenters).called("centring"),
    word("last", member<&F::last>, kLasts).called("last frame"),
    word("dc", member<&F::frame_dc>, kFrameDc).called("removal of each frame's mean"),
};

constexpr std::array kWindows{
    Word{"hann", audio::Window::kHann, "Hann, periodic"},
    Word{"hann_sym", audio::Window::kHannSym, "Hann, symmetric"},
    Word{"hann_mid", audio::Window::kHannMid, "Hann between samples"},
    Word{"hamming", audio::Window::kHamming, "Hamming, periodic"},
    Word{"hamming_sym", audio::Window::kHammingSym, "Hamming, symmetric"},
    Word{"povey", audio::Window::kPovey, "Kaldi's: symmetric Hann to the power .85"},
    Word{"rect", audio::Window::kRect, "none"},
    Word{"blackman", audio::Window::kBlackman, "Blackman, symmetric"},
};
constexpr std::array kWindow{
    word("shape", member<&F::window>, kWindows).called("window").positional().always()};

Status check_fft(const Arguments& arguments, const Argument*, void* f) {
  if (audio::is_fft_length(as<F>(f).nfft)) return {};
  return arguments.error(arguments.at(),
                         "an FFT of that length is not made: its factors are 2, 3, 5 and 7");
}
constexpr std::array kPlacesInFft{Word{"left", false}, Word{"middle", true}};
constexpr std::array kFft{
    whole("length", member<&F::nfft>, 2, 16384)
        .called("FFT length")
        .needed("a length")
        .always()
        .and_then(check_fft),
    word("place", member<&F::middle>, kPlacesInFft).called("place of the window"),
};

constexpr std::array kPowers{Word{"1", 1, "magnitudes"}, Word{"2", 2, "magnitudes squared"}};
constexpr std::array kSpectrumNorms{
    Word{"none", audio::SpectrumNorm::kNone, ""},
    Word{"length", audio::SpectrumNorm::kLength, ", divided by the length"},
    Word{"window", audio::SpectrumNorm::kWindow, ", divided by the window's sum"},
};
constexpr std::array kPower{
    whole("exponent", member<&F::power>, 1, 2)
        .called("spectrum")
        .needed("1 (magnitude) or 2 (power)")
        .always()
        .named_in_sentences(kPowers),
    word("norm", member<&F::spectrum_norm>, kSpectrumNorms).called("norm of the spectrum"),
};

// Filter bank, logarithm, cepstrum.

Status read_edges(Arguments& arguments, const Argument& given, void* recipe) {
  const std::size_t dots = given.value.find("..");
  if (dots == std::string_view::npos)
    return arguments.error(given.at, "expected edges in Hz like 20..8000");
  EP_TRY(auto low, arguments.real({{}, given.value.substr(0, dots), given.at}, 0, kHighestHz));
  EP_TRY(auto high, arguments.real({{}, given.value.substr(dots + 2), given.at}, 0, kHighestHz));
  as<F>(recipe).fmin = low;
  as<F>(recipe).fmax = high;
  return {};
}
std::string edges_text(const void* f) {
  return recipe::exact_text(as<F>(f).fmin) + ".." + recipe::exact_text(as<F>(f).fmax);
}
std::string mel_meaning(const void* recipe) {
  const auto& f = as<F>(recipe);
  return std::to_string(f.mels) + " filters from " + number(f.fmin) + " to " + number(f.fmax, 6) +
         " Hz on the mel scale of " + (f.mel_scale == audio::MelScale::kHtk ? "HTK" : "Slaney") +
         ", slopes straight in " +
         (f.triangles == audio::Triangles::kMel  ? "mel"
          : f.triangles == audio::Triangles::kHz ? "Hz"
                                                 : "whole bins");
}
constexpr std::array kMelScales{Word{"htk", audio::MelScale::kHtk},
                                Word{"slaney", audio::MelScale::kSlaney}};
constexpr std::array kTriangles{Word{"mel", audio::Triangles::kMel},
                                Word{"hz", audio::Triangles::kHz},
                                Word{"bins", audio::Triangles::kBins}};
constexpr std::array kMelNorms{Word{"none", audio::MelNorm::kNone},
                               Word{"slaney", audio::MelNorm::kSlaney},
                               Word{"sum", audio::MelNorm::kSum}};
constexpr std::array kMelOrders{Word{"rising", false}, Word{"falling", true}};
constexpr std::array kMel{
    whole("filters", member<&F::mels>, 1, 1024)
        .called("number of filters")
        .needed("a number of filters")
        .always(),
    own("edges", member<&F::fmax>, read_edges, edges_text)
        .called("highest frequency")
        .needed("edges in Hz like 20..8000")
        .always(),
    word("scale", member<&F::mel_scale>, kMelScales).called("mel scale").positional().always(),
    word("triangles", member<&F::triangles>, kTriangles).called("axis of the triangles").always(),
    word("norm", member<&F::mel_norm>, kMelNorms).called("norm of the filters"),
    word("order", member<&F::mels_reversed>, kMelOrders).called("order of the filters"),
};

bool has_floor(const void* f, audio::FloorBy by) {
  return as<F>(f).log != audio::Log::kMicro && as<F>(f).floor_by == by;
}
bool is_added(const void* f) { return has_floor(f, audio::FloorBy::kAdd); }
bool is_least(const void* f) { return has_floor(f, audio::FloorBy::kMax); }
bool has_range(const void* f) { return as<F>(f).log != audio::Log::kMicro && as<F>(f).range > 0; }
Status added(const Arguments&, const Argument* given, void* f) {
  if (given) as<F>(f).floor_by = audio::FloorBy::kAdd;
  return {};
}
Status limited(const Arguments& arguments, const Argument* given, void* f) {
  if (!given) return {};
  if (arguments.has_taken("add"))
    return arguments.error(arguments.at(), "add= and max= are two ways to keep off 0: give one");
  as<F>(f).floor_by = audio::FloorBy::kMax;
  return {};
}
constexpr std::array kLogs{
    Word{"ln", audio::Log::kLn, "natural logarithm"},
    Word{"log10", audio::Log::kLog10, "decimal logarithm"},
    Word{"db", audio::Log::kDb, "decibels (10 log10)"},
    Word{"db20", audio::Log::kDb20, "decibels (20 log10)"},
    Word{"log2", audio::Log::kLog2, "logarithm to base 2"},
    Word{"none", audio::Log::kNone, "no logarithm"},
    Word{"micro", audio::Log::kMicro,
         "noise subtraction, gain control and logarithm of TensorFlow Lite Micro"},
};
constexpr std::array kLog{
    word("of", member<&F::log>, kLogs).called("logarithm").positional().always(),
    real("add", member<&F::floor>, 0, 1e9).called("floor").shown_if(is_added).and_then(added),
    real("max", member<&F::floor>, 1e-300, 1e9).shown_if(is_least).and_then(limited),
    real("range", member<&F::range>, 0, 1e6)
        .called("limit below the largest value (0: none)")
        .shown_if(has_range),
};

Status choose_dct(const Arguments&, const Argument*, void* f) {
  if (as<F>(f).dct == audio::Dct::kNone) as<F>(f).dct = audio::Dct::kOrtho;
  return {};
}
std::string coefficients_text(const void* recipe) {
  const auto& f = as<F>(recipe);
  return std::to_string(f.coefficients > 0 ? f.coefficients : f.mels);
}
bool has_dct(const void* f) { return as<F>(f).dct != audio::Dct::kNone; }
bool has_lifter(const void* f) { return has_dct(f) && as<F>(f).lifter > 0; }
constexpr std::array kDcts{Word{"ortho", audio::Dct::kOrtho}, Word{"plain", audio::Dct::kPlain},
                           Word{"half", audio::Dct::kHalf}, Word{"htk", audio::Dct::kHtk}};
constexpr std::array kC0s{
    Word{"keep", audio::C0::kKeep, ""},
    Word{"dropped", audio::C0::kDropped, " without the first"},
    Word{"energy", audio::C0::kEnergy, ", the first of them the frame's energy"},
};
constexpr std::array kDct{
    whole("coefficients", member<&F::coefficients>, 1, 1024)
        .needed("a number of coefficients")
        .always()
        .written_as(coefficients_text)
        .and_then(choose_dct),
    word("norm", member<&F::dct>, kDcts).called("cosine transform").positional().always(),
    word("c0", member<&F::c0>, kC0s).called("first coefficient"),
};
constexpr std::array kLifters{0.0, 22.0};
constexpr std::array kLifter{real("coefficients", member<&F::lifter>, 0, 1000)
                                 .instead(kLifters)
                                 .called("lifter (0: none)")
                                 .needed("a number of coefficients")};

constexpr std::array kSpectrumSteps{
    step("frame", 9, kFrame)
        .of_this_kind()
        .there_if(recipe::always)
        .saying("frames of {win} samples, one every {hop}[center|, centred ({center} "
                "beyond the ends)][dc|, each without its mean]"),
    step("window", 10, kWindow).of_this_kind().there_if(recipe::always).saying("window: {shape}"),
    step("fft", 11, kFft)
        .of_this_kind()
        .there_if(recipe::always)
        .saying("spectrum of {length} samples[place|, the window in their middle]"),
    step("power", 12, kPower).of_this_kind().there_if(recipe::always).saying("{exponent}{norm}"),
    step("mel", 13, kMel).of_this_kind().there_if(recipe::always).meant_by(mel_meaning),
    step("log", 14, kLog)
        .of_this_kind()
        .there_if(recipe::always)
        .saying("{of}[add|, of the energy plus {add}][max|, of the energy but at least "
                "{max}][range|, at most {range} below the largest]"),
    step("dct", 15, kDct)
        .of_this_kind()
        .there_if(has_dct)
        .saying("cosine transform (II), {coefficients} coefficients{c0}"),
    step("lifter", 16, kLifter)
        .of_this_kind()
        .there_if(has_lifter)
        .saying("coefficient k times 1 + L/2 sin(pi k/L), L = {coefficients}"),
};

}  // namespace

recipe::Steps sound_spectrum_steps() { return kSpectrumSteps; }

}  // namespace edgeprobe::preprocess
