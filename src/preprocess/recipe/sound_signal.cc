// SPDX-License-Identifier: Apache-2.0
#include <array>

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

constexpr int kMostSamples = 1 << 24;
constexpr double kMostHz = 1'000'000;

Status check_bits(const Arguments& arguments, const Argument*, void* f) {
  const int bits = as<F>(f).bits;
  if (bits == 8 || bits == 16) return {};
  return arguments.error(arguments.at(), "bits is 8 or 16");
}

constexpr std::array kEndian{Word{"little", false, "as it is stored"},
                             Word{"big", true, "with its two bytes exchanged"}};
constexpr std::array kFormats{
    Word{"stored", audio::ReadAs::kStored, "in the format that it is stored in"},
    Word{"float_as_int32", audio::ReadAs::kFloatAsInt32, "float32 taken for int32"},
    Word{"float_as_int16", audio::ReadAs::kFloatAsInt16, "float32 taken for two int16"},
    Word{"int32_as_int16", audio::ReadAs::kInt32AsInt16, "int32 taken for two int16"},
    Word{"int24_as_int16", audio::ReadAs::kInt24AsInt16, "24 bits taken for 16"},
    Word{"int16_as_int32", audio::ReadAs::kInt16AsInt32, "two int16 taken for one int32"},
    Word{"int16_as_int24", audio::ReadAs::kInt16AsInt24, "16 bits taken for 24"},
    Word{"int16_as_uint16", audio::ReadAs::kInt16AsUint16, "int16 taken for uint16"},
    Word{"int16_as_uint8", audio::ReadAs::kInt16AsUint8, "int16 taken for two uint8"},
    Word{"int16_as_int8", audio::ReadAs::kInt16AsInt8, "int16 taken for two int8"},
    Word{"shifted_14", audio::ReadAs::kShifted14, "32-bit words shifted by 14 for 16"},
};
constexpr std::array kWidths{8.0, 16.0};
constexpr std::array kBytes{
    word("endian", member<&F::big_endian>, kEndian).called("byte order").always(),
    whole("bits", member<&F::bits>, 8, 16)
        .instead(kWidths)
        .called("number of bits kept")
        .and_then(check_bits),
    word("format", member<&F::read_as>, kFormats).called("format of the samples"),
};

constexpr std::array kMonos{
    Word{"mean", audio::Mono::kMean, "the mean of all channels"},
    Word{"left", audio::Mono::kLeft, "the first channel"},
    Word{"right", audio::Mono::kRight, "the second channel"},
    Word{"sum", audio::Mono::kSum, "the sum of all channels"},
    Word{"interleaved", audio::Mono::kInterleaved,
         "the samples of all channels one after the other, as one channel"},
    Word{"halved", audio::Mono::kHalved, "every second sample, as if one channel were two"},
    Word{"doubled", audio::Mono::kDoubled, "each sample twice, as if two channels were one"},
};
constexpr std::array kMono{word("channel", member<&F::mono>, kMonos)
                               .called("reading of the channels")
                               .positional()
                               .always()};

constexpr std::array kKernels{
    Word{"soxr", audio::Kernel::kSoxr, "libsoxr's HQ (librosa)"},
    Word{"poly", audio::Kernel::kPoly, "SciPy's resample_poly"},
    Word{"sinc", audio::Kernel::kSinc, "a windowed sinc (torchaudio)"},
    Word{"linear", audio::Kernel::kLinear, "straight lines between samples"},
    Word{"linear_ends", audio::Kernel::kLinearEnds,
         "straight lines between samples, stretched until the last one meets the last"},
    Word{"nearest", audio::Kernel::kNearest, "the sample before"},
};
constexpr std::array kResample{
    real("rate", member<&F::rate>, 100, kMostHz)
        .called("rate")
        .needed("a rate in Hz")
        .always()
        .with_digits(7),
    word("kernel", member<&F::kernel>, kKernels).called("resampling").positional().always(),
    real("from", member<&F::believed>, 100, kMostHz)
        .called("idea of the recording's rate")
        .with_digits(7),
};

bool has_lost(const void* f) { return as<F>(f).lost != 0; }
constexpr std::array kPosition{
    whole("skip", member<&F::skip>, -kMostSamples, kMostSamples)
        .called("number of samples left out in front")
        .always(),
    whole("roll", member<&F::roll>, -kMostSamples, kMostSamples)
        .called("first sample of the ring buffer"),
    whole("lost_at", member<&F::lost_at>, 0, kMostSamples)
        .called("place of lost samples")
        .shown_if(has_lost),
    whole("lost", member<&F::lost>, 0, kMostSamples).called("number of lost samples"),
};

constexpr std::array kClip{Word{"off", false}, Word{"on", true}};
constexpr std::array kLevel{
    real("gain", member<&F::gain>, 1e-6, 1e6).called("gain").always(),
    real("dc", member<&F::dc>, -32768, 32768).called("DC (16-bit units)"),
    word("clip", member<&F::clipped>, kClip).called("clipping at full scale"),
};

constexpr std::array kBands{0.0, 8000.0};
constexpr std::array kBand{real("rate", member<&F::band>, 100, kMostHz)
                               .instead(kBands)
                               .called("band (a rate in between, 0: none)")
                               .needed("a rate in Hz")
                               .with_digits(7)};

constexpr std::array kPadSides{
    Word{"end", audio::PadAt::kEnd, "are zeros (end)"},
    Word{"start", audio::PadAt::kStart, "are zeros (start)"},
    Word{"both", audio::PadAt::kBoth, "are zeros (both)"},
    Word{"repeat", audio::PadAt::kRepeat, "is the beginning again"},
};
constexpr std::array kPad{
    whole("samples", member<&F::length>, 1, kMostSamples)
        .called("number of samples")
        .needed("a number of samples"),
    word("side", member<&F::pad_at>, kPadSides).called("side of the padding").positional(),
};

Status read_factor(Arguments& arguments, const Argument& given, void* recipe) {
  auto& f = as<F>(recipe);
  f.scale_by = given.value == "max"      ? audio::ScaleBy::kMax
               : given.value == "absmax" ? audio::ScaleBy::kAbsMax
                                         : audio::ScaleBy::kFactor;
  if (f.scale_by != audio::ScaleBy::kFactor) return {};
  const bool is_inverse = given.value.substr(0, 2) == "1/";
  Argument number = given;
  if (is_inverse) number.value.remove_prefix(2);
  EP_TRY(auto factor, arguments.real(number, 1e-9, 1e9));
  f.scale = is_inverse ? 1 / factor : factor;
  return {};
}
std::string factor_text(const void* recipe) {
  const auto& f = as<F>(recipe);
  return f.scale_by == audio::ScaleBy::kMax      ? "max"
         : f.scale_by == audio::ScaleBy::kAbsMax ? "absmax"
                                                 : recipe::factor_text(f.scale);
}
std::string scale_meaning(const void* recipe) {
  const auto by = as<F>(recipe).scale_by;
  return by == audio::ScaleBy::kMax      ? "divides by the largest sample of the clip"
         : by == audio::ScaleBy::kAbsMax ? "divides by the largest magnitude of the clip"
                                         : "16-bit samples times " + factor_text(recipe);
}
constexpr std::array kScale{own("factor", member<&F::scale>, read_factor, factor_text)
                                .called("scale")
                                .needed("1/32768, 1, max or absmax")
                                .always()};

constexpr std::array kPreemphasisPlaces{
    Word{"signal", audio::PreAt::kSignal, ""},
    Word{"frame", audio::PreAt::kFrame, ", frame by frame"},
    Word{"twice", audio::PreAt::kSignalTwice, ", twice over"},
};
constexpr std::array kFactors{0.0, .97, .95, .9};
constexpr std::array kPreemphasis{
    real("factor", member<&F::preemphasis>, -1, 1)
        .instead(kFactors)
        .called("pre-emphasis")
        .needed("a factor like 0.97"),
    word("of", member<&F::pre_at>, kPreemphasisPlaces)
        .called("place of pre-emphasis")
        .positional()
        .always(),
};

constexpr std::array kSignalSteps{
    step("bytes", 0, kBytes)
        .of_this_kind()
        .saying("reads each 16-bit sample {endian}[bits|, and keeps the upper 8 bits]"
                "[format|, {format}]"),
    step("mono", 1, kMono).of_this_kind().there_if(recipe::always).saying("one channel: {channel}"),
    step("resample", 2, kResample)
        .of_this_kind()
        .there_if([](const void* f) { return as<F>(f).rate > 0 || as<F>(f).believed > 0; })
        .saying("to {rate} samples a second, by {kernel}[from|; the recording is taken to "
                "have {from}]"),
    step("position", 3, kPosition)
        .of_this_kind()
        .saying("where it begins, and what of it is missing, in samples"),
    step("level", 4, kLevel).of_this_kind().saying("another level[clip|, cut off at full scale]"),
    step("band", 5, kBand).of_this_kind().saying("what passes a connection of {rate} Hz"),
    step("pad", 6, kPad)
        .of_this_kind()
        .there_if([](const void* f) { return as<F>(f).length > 0; })
        .saying("exactly {samples} samples: the rest is cut off, what is missing {side}"),
    step("scale", 7, kScale).there_if(recipe::always).meant_by(scale_meaning),
    step("preemphasis", 8, kPreemphasis)
        .of_this_kind()
        .there_if([](const void* f) { return as<F>(f).preemphasis != 0; })
        .saying("takes {factor} of the sample before off each{of}"),
};

}  // namespace

recipe::Steps sound_signal_steps() { return kSignalSteps; }

}  // namespace edgeprobe::preprocess
