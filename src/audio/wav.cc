// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "audio/decode.h"
#include "audio/samples.h"
#include "core/text.h"

namespace edgeprobe::audio {
namespace {

constexpr std::uint16_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;

Error corrupt_wav(std::size_t at, const std::string& what) {
  return {ErrorKind::kCorrupt, "WAV, byte " + std::to_string(at) + ": " + what};
}

std::uint32_t whole_at(ByteView bytes, std::size_t at, int width) {
  std::uint32_t value = 0;
  for (int i = 0; i < width; ++i)
    value |= std::to_integer<std::uint32_t>(bytes.data[at + static_cast<std::size_t>(i)])
             << (8 * i);
  return value;
}

struct Format {
  std::uint16_t code = 0, channels = 0, block = 0, bits = 0;
  std::uint32_t rate = 0;
  std::size_t at = 0;
};

Result<Format> format_at(ByteView bytes, std::size_t at, std::size_t size) {
  if (size < 16)
    return corrupt_wav(at, "the format chunk has " + std::to_string(size) +
                               " bytes, at least 16 are needed; write the file anew");
  Format format;
  format.at = at;
  format.code = static_cast<std::uint16_t>(whole_at(bytes, at, 2));
  format.channels = static_cast<std::uint16_t>(whole_at(bytes, at + 2, 2));
  format.rate = whole_at(bytes, at + 4, 4);
  format.block = static_cast<std::uint16_t>(whole_at(bytes, at + 12, 2));
  format.bits = static_cast<std::uint16_t>(whole_at(bytes, at + 14, 2));
  if (format.code == kExtensible) {
    if (size < 40)
      return corrupt_wav(at, "the extensible format chunk has " + std::to_string(size) +
                                 " bytes, 40 are needed; write the file anew");
    format.code = static_cast<std::uint16_t>(whole_at(bytes, at + 24, 2));
  }
  return format;
}

Result<Stored> stored_by(const Format& format) {
  const bool real = format.code == kFloat && (format.bits == 32 || format.bits == 64);
  const bool whole = format.code == kPcm && format.bits >= 8 && format.bits <= 32;
  if (format.rate < kLeastRate || format.rate > kMostRate)
    return corrupt_wav(format.at + 4, "the header says a rate of " + std::to_string(format.rate) +
                                          " Hz; write the rate that was recorded with");
  if (format.channels == 0 || format.channels > kMostChannels)
    return corrupt_wav(format.at + 2, "the header says " + std::to_string(format.channels) +
                                          " channels; 1 to " + std::to_string(kMostChannels) +
                                          " are read");
  if (!real && !whole)
    return Error{ErrorKind::kUnsupported,
                 "WAV, byte " + std::to_string(format.at) + ": format " +
                     std::to_string(format.code) + " with " + std::to_string(format.bits) +
                     " bits; PCM of 8 to 32 bits and float are read: convert it, e.g. by "
                     "ffmpeg -i IN -c:a pcm_s16le OUT.wav"};
  const int width = (format.bits + 7) / 8;
  if (format.block != width * format.channels)
    return corrupt_wav(format.at + 12, "the header says blocks of " + std::to_string(format.block) +
                                           " bytes, but " + std::to_string(format.channels) +
                                           " channels of " + std::to_string(format.bits) +
                                           " bits take " + std::to_string(width * format.channels));
  return Stored{real         ? Stored::Type::kFloat
                : width == 1 ? Stored::Type::kUnsigned
                             : Stored::Type::kSigned,
                width, false};
}

}  // namespace

Result<Clip> decode_wav(ByteView bytes) {
  if (bytes.size < 12 || bytes.text().substr(0, 4) != "RIFF" || bytes.text().substr(8, 4) != "WAVE")
    return corrupt_wav(0, "it does not begin with RIFF and WAVE");
  std::optional<Format> format;
  for (std::size_t at = 12; at + 8 <= bytes.size;) {
    const std::string_view id = bytes.text().substr(at, 4);
    const std::size_t said = whole_at(bytes, at + 4, 4), begin = at + 8, rest = bytes.size - begin;
    if (id == "fmt ") {
      if (said > rest)
        return corrupt_wav(at + 4, "the format chunk says " + std::to_string(said) +
                                       " bytes, the file has " + std::to_string(rest) + " more");
      EP_TRY(format, format_at(bytes, begin, said));
    } else if (id == "data") {
      if (!format)
        return corrupt_wav(at, "samples come before the format chunk: what they are is not said");
      EP_TRY(auto stored, stored_by(*format));
      // A recorder that writes into a pipe cannot fill in the sizes afterwards. If the file's own
      // size is filled in, a data size of 0 really means empty, and other chunks follow.
      const bool finished = whole_at(bytes, 4, 4) == bytes.size - 8;
      const bool open = said == 0xFFFFFFFFu || (said == 0 && rest > 0 && !finished);
      if (said > rest && !open)
        return corrupt_wav(at + 4, "the header says " + std::to_string(said) +
                                       " bytes of samples, the file has " + std::to_string(rest) +
                                       ": it was cut; record or copy it again");
      const std::size_t size = (open ? rest : said) / format->block * format->block;
      if (size == 0) return corrupt_wav(begin, "there are no samples");
      if (size / static_cast<std::size_t>(stored.bytes) > kMostSamples)
        return Error{ErrorKind::kLimit, "the recording has over " + std::to_string(kMostSamples) +
                                            " samples, the most that are read; cut it"};
      Clip clip;
      clip.channels = format->channels;
      clip.rate = format->rate;
      clip.whole = stored.type != Stored::Type::kFloat && stored.bytes <= 2;
      clip.samples = samples_of(bytes.sub(begin, size), stored);
      EP_CHECK(check_finite(clip));
      return clip;
    }
    if (said > rest) break;
    at = begin + said + said % 2;
  }
  return corrupt_wav(std::min(bytes.size, std::size_t{12}),
                     format ? "there is no chunk of samples" : "there is no format chunk");
}

}  // namespace edgeprobe::audio
