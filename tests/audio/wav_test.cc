// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "audio/decode.h"

namespace edgeprobe::audio {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string little(std::uint32_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

struct Header {
  std::uint32_t code = 1, channels = 1, rate = 16000, bits = 16, said = 0;
  bool data = true;
};
std::string wav(const Header& h, const std::string& samples) {
  const std::uint32_t block = h.channels * h.bits / 8;
  const std::string format = little(h.code, 2) + little(h.channels, 2) + little(h.rate, 4) +
                             little(h.rate * block, 4) + little(block, 2) + little(h.bits, 2);
  std::string out = "WAVEfmt " + little(16, 4) + format;
  if (h.data)
    out +=
        "data" + little(h.said ? h.said : static_cast<std::uint32_t>(samples.size()), 4) + samples;
  return "RIFF" + little(static_cast<std::uint32_t>(out.size()), 4) + out;
}

std::string why(const std::string& bytes) {
  const auto clip = decode_wav(view_of(bytes));
  return clip ? "" : clip.error().what;
}

TEST(Wav, SixteenBitsAreTheUnit) {
  const std::string file = wav({}, little(1, 2) + little(0x8000, 2) + little(0x7FFF, 2));
  const auto clip = decode_wav(view_of(file));
  ASSERT_TRUE(clip) << clip.error().what;
  EXPECT_THAT(clip->samples, ElementsAre(1, -32768, 32767));
  EXPECT_TRUE(clip->whole);
  EXPECT_EQ(clip->rate, 16000);
}

std::string big(std::uint32_t value, int width) {
  std::string out = little(value, width);
  return {out.rbegin(), out.rend()};
}

/// A-law is not PCM, and all numbers of RIFX are big-endian. libsndfile reads both if it is
/// installed; if not, the error names the format.
TEST(Wav, OtherFormsGoToLibsndfile) {
  Header law;
  law.code = 6;
  law.bits = 8;
  const std::string compressed = wav(law, std::string(160, '\x55'));
  const auto clip = decode(view_of(compressed), "a.wav");
  if (clip) EXPECT_EQ(clip->samples.size(), 160u);
  else EXPECT_THAT(clip.error().what, HasSubstr("format 6 with 8 bits"));
  const std::string body = "WAVEfmt " + big(16, 4) + big(1, 2) + big(1, 2) + big(16000, 4) +
                           big(32000, 4) + big(2, 2) + big(16, 2) + "data" + big(4, 4) +
                           big(258, 2) + big(0xFFFE, 2);
  const std::string turned = "RIFX" + big(static_cast<std::uint32_t>(body.size()), 4) + body;
  const auto other = decode(view_of(turned), "a.wav");
  if (other) EXPECT_THAT(other->samples, ElementsAre(258, -2));
  else EXPECT_THAT(other.error().what, HasSubstr("libsndfile"));
}

TEST(Wav, EightBitsAreUnsigned) {
  Header header;
  header.bits = 8;
  const auto clip = decode_wav(view_of(wav(header, std::string("\x80\x00\xFF", 3))));
  ASSERT_TRUE(clip);
  EXPECT_THAT(clip->samples, ElementsAre(0, -32768, 127 * 256));
}

TEST(Wav, AHeaderThatLiesIsToldWithPlaceAndCure) {
  Header rate;
  rate.rate = 0;
  EXPECT_THAT(why(wav(rate, "ab")), HasSubstr("byte 24: the header says a rate of 0 Hz"));
  Header channels;
  channels.channels = 0;
  EXPECT_THAT(why(wav(channels, "ab")), HasSubstr("0 channels"));
  Header size;
  size.said = 4000;
  EXPECT_THAT(why(wav(size, "abcd")),
              HasSubstr("4000 bytes of samples, the file has 4: it was cut"));
  EXPECT_THAT(why(wav({}, "")), HasSubstr("there are no samples"));
  std::string tagged = wav({}, "") + "LIST" + little(4, 4) + "INFO";
  tagged.replace(4, 4, little(static_cast<std::uint32_t>(tagged.size() - 8), 4));
  EXPECT_THAT(why(tagged), HasSubstr("there are no samples"));
  Header none;
  none.data = false;
  EXPECT_THAT(why(wav(none, "")), HasSubstr("no chunk of samples"));
  Header law;
  law.code = 6;
  EXPECT_THAT(why(wav(law, "ab")), HasSubstr("ffmpeg"));
  EXPECT_THAT(why("RIFFxxxxJPEG"), HasSubstr("does not begin with RIFF and WAVE"));
}

TEST(Wav, ASampleThatIsNoNumberIsNamed) {
  Header header;
  header.code = 3;
  header.bits = 32;
  const float values[] = {0.5f, std::numeric_limits<float>::quiet_NaN()};
  std::string samples(sizeof values, '\0');
  std::memcpy(samples.data(), values, sizeof values);
  EXPECT_THAT(why(wav(header, samples)), HasSubstr("sample 1 of channel 0 is NaN"));
}

TEST(Wav, ARecorderThatWritesIntoAPipeLeavesTheSizeOpen) {
  Header header;
  header.said = 0xFFFFFFFF;
  const auto clip = decode_wav(view_of(wav(header, little(7, 2) + little(8, 2))));
  ASSERT_TRUE(clip) << clip.error().what;
  EXPECT_THAT(clip->samples, ElementsAre(7, 8));
  std::string zeros = wav({}, "");
  zeros.replace(4, 4, little(0, 4));
  const auto piped = decode_wav(view_of(zeros + little(7, 2) + little(8, 2)));
  ASSERT_TRUE(piped) << piped.error().what;
  EXPECT_THAT(piped->samples, ElementsAre(7, 8));
}

TEST(Pcm, TheNameSaysWhatTheBytesAre) {
  const auto clip =
      decode_pcm(view_of(std::string("\x01\x02\x03\x04", 4)), "a_8000hz_2ch_s16be.pcm");
  ASSERT_TRUE(clip) << clip.error().what;
  EXPECT_EQ(clip->channels, 2);
  EXPECT_THAT(clip->samples, ElementsAre(0x0102, 0x0304));
  EXPECT_THAT(decode_pcm(view_of("abc"), "a_8000hz.pcm").error().what,
              HasSubstr("not a whole number"));
  EXPECT_THAT(decode_pcm(view_of("ab"), "a.pcm").error().what,
              HasSubstr("NAME_16000hz_2ch_s16be.pcm"));
}

}  // namespace
}  // namespace edgeprobe::audio
