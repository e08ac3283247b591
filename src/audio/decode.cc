// SPDX-License-Identifier: Apache-2.0
#include "audio/decode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "audio/samples.h"
#include "core/text.h"

namespace edgeprobe::audio {
namespace {

constexpr std::array<std::string_view, 10> kEndings{"wav", "flac", "ogg", "oga", "opus",
                                                    "mp3", "aiff", "aif", "au",  "pcm"};

std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : name.substr(dot + 1));
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return ending;
}

struct Width {
  std::string_view word;
  Stored stored;
};
constexpr std::array<Width, 8> kWidths{{{"u8", {Stored::Type::kUnsigned, 1, false}},
                                        {"s8", {Stored::Type::kSigned, 1, false}},
                                        {"s16", {Stored::Type::kSigned, 2, false}},
                                        {"s16le", {Stored::Type::kSigned, 2, false}},
                                        {"s16be", {Stored::Type::kSigned, 2, true}},
                                        {"s24", {Stored::Type::kSigned, 3, false}},
                                        {"s32", {Stored::Type::kSigned, 4, false}},
                                        {"f32", {Stored::Type::kFloat, 4, false}}}};

// WAV with 64-bit sizes, or with all numbers in big endian: left to libsndfile.
bool is_other_wav(std::string_view begins) {
  return begins == "RF64" || begins == "RIFX" || begins == "BW64";
}

/// "16000hz" with the unit "hz" yields 16000; -1 for another word.
long number_before(std::string_view word, std::string_view unit) {
  if (word.size() <= unit.size() || word.substr(word.size() - unit.size()) != unit) return -1;
  long value = 0;
  const char* const end = word.data() + word.size() - unit.size();
  const auto read = std::from_chars(word.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end ? value : -1;
}

}  // namespace

bool is_sound_name(std::string_view file_name) {
  return std::find(kEndings.begin(), kEndings.end(), ending_of(file_name)) != kEndings.end();
}

Status check_finite(const Clip& clip) {
  for (std::size_t i = 0; i < clip.samples.size(); ++i)
    if (!std::isfinite(clip.samples[i]))
      return Error{ErrorKind::kCorrupt,
                   "sample " + std::to_string(i / static_cast<std::size_t>(clip.channels)) +
                       " of channel " +
                       std::to_string(i % static_cast<std::size_t>(clip.channels)) + " is " +
                       (std::isnan(clip.samples[i]) ? "NaN" : "infinite") +
                       ": what recorded it divided by zero or read beyond its buffer"};
  return {};
}

Result<Clip> decode_pcm(ByteView bytes, std::string_view file_name) {
  const std::string title = "'" + sanitized(file_name, 80) + "'";
  Stored stored;
  Clip clip;
  const std::string_view stem = file_name.substr(0, file_name.rfind('.'));
  for (std::size_t at = 0; at <= stem.size();) {
    const std::size_t end = std::min(stem.find('_', at), stem.size());
    const std::string_view word = stem.substr(at, end - at);
    if (const long rate = number_before(word, "hz"); rate >= 0)
      clip.rate = static_cast<double>(rate);
    if (const long channels = number_before(word, "ch"); channels >= 0)
      clip.channels = static_cast<int>(std::min<long>(channels, kMostChannels + 1));
    for (const Width& width : kWidths)
      if (word == width.word) stored = width.stored;
    at = end + 1;
  }
  if (clip.rate < kLeastRate || clip.rate > kMostRate || clip.channels < 1 ||
      clip.channels > kMostChannels)
    return Error{ErrorKind::kUsage,
                 title +
                     ": raw samples need their rate in the file's name, and channels and type "
                     "where they are not one and s16: NAME_16000hz_2ch_s16be.pcm"};
  const std::size_t block =
      static_cast<std::size_t>(stored.bytes) * static_cast<std::size_t>(clip.channels);
  if (bytes.size < block || bytes.size % block != 0)
    return Error{ErrorKind::kCorrupt,
                 title + ": " + std::to_string(bytes.size) + " bytes are not a whole number of " +
                     std::to_string(clip.channels) + " samples of " + std::to_string(stored.bytes) +
                     " bytes: the file name states another format, or the file was truncated"};
  if (bytes.size / static_cast<std::size_t>(stored.bytes) > kMostSamples)
    return Error{ErrorKind::kLimit, title + " has over " + std::to_string(kMostSamples) +
                                        " samples, the most that are read; cut it"};
  clip.whole = stored.type != Stored::Type::kFloat && stored.bytes <= 2;
  clip.samples = samples_of(bytes, stored);
  if (auto fine = check_finite(clip); !fine) return std::move(fine.error()).during(title);
  return clip;
}

Result<Clip> decode(ByteView bytes, std::string_view file_name) {
  const std::string title = "'" + sanitized(file_name, 120) + "'";
  if (ending_of(file_name) == "pcm")
    return decode_pcm(bytes, file_name.substr(file_name.rfind('/') + 1));
  if (bytes.empty()) return Error{ErrorKind::kCorrupt, title + " is empty"};
  const std::string_view begins = bytes.text().substr(0, 4);
  const bool is_wav = begins == "RIFF" || (ending_of(file_name) == "wav" && !is_other_wav(begins));
  auto clip = is_wav ? decode_wav(bytes) : decode_sndfile(bytes);
  // Compressed forms of WAV are left to libsndfile, if available.
  if (!clip && is_wav && clip.error().kind == ErrorKind::kUnsupported)
    if (auto other = decode_sndfile(bytes)) clip = std::move(other);
  if (!clip) return std::move(clip.error()).during(title);
  return clip;
}

}  // namespace edgeprobe::audio
