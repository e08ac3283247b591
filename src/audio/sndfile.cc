// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "audio/decode.h"
#include "audio/shared_object.h"
#include "core/text.h"

namespace edgeprobe::audio {
namespace {

// The used subset of the C interface of libsndfile 1.x (sndfile.h).
struct Described {
  std::int64_t frames;
  int samplerate, channels, format, sections, seekable;
};
struct Virtual {
  std::int64_t (*length)(void*);
  std::int64_t (*seek)(std::int64_t, int, void*);
  std::int64_t (*read)(void*, std::int64_t, void*);
  std::int64_t (*write)(const void*, std::int64_t, void*);
  std::int64_t (*tell)(void*);
};
constexpr int kRead = 0x10, kSubtypes = 0xFFFF, kPcm8 = 1, kPcm16 = 2, kUnsigned8 = 5;

struct Library {
  void* (*open)(Virtual*, int, Described*, void*) = nullptr;
  std::int64_t (*read)(void*, float*, std::int64_t) = nullptr;
  int (*close)(void*) = nullptr;
  const char* (*why)(void*) = nullptr;
  bool complete = false;
};

const Library& library() {
  static const SharedObject file("libsndfile.so.1");
  static const Library loaded = [] {
    Library all;
    all.open = reinterpret_cast<decltype(all.open)>(file.find("sf_open_virtual"));
    all.read = reinterpret_cast<decltype(all.read)>(file.find("sf_readf_float"));
    all.close = reinterpret_cast<decltype(all.close)>(file.find("sf_close"));
    all.why = reinterpret_cast<decltype(all.why)>(file.find("sf_strerror"));
    all.complete = all.open && all.read && all.close && all.why;
    return all;
  }();
  return loaded;
}

struct Memory {
  ByteView bytes;
  std::int64_t at = 0;
};
Memory& memory_of(void* user) { return *static_cast<Memory*>(user); }

std::int64_t length_of(void* user) { return static_cast<std::int64_t>(memory_of(user).bytes.size); }
std::int64_t seek_in(std::int64_t offset, int whence, void* user) {
  Memory& memory = memory_of(user);
  const std::int64_t base = whence == SEEK_SET   ? 0
                            : whence == SEEK_CUR ? memory.at
                                                 : length_of(user);
  memory.at = std::clamp<std::int64_t>(base + offset, 0, length_of(user));
  return memory.at;
}
std::int64_t read_from(void* to, std::int64_t count, void* user) {
  Memory& memory = memory_of(user);
  const std::int64_t n = std::clamp<std::int64_t>(length_of(user) - memory.at, 0, count);
  std::memcpy(to, memory.bytes.data + memory.at, static_cast<std::size_t>(n));
  memory.at += n;
  return n;
}
std::int64_t write_nothing(const void*, std::int64_t, void*) { return 0; }
std::int64_t place_in(void* user) { return memory_of(user).at; }

}  // namespace

Result<Clip> decode_sndfile(ByteView bytes) {
  const Library& sndfile = library();
  if (!sndfile.complete)
    return Error{ErrorKind::kUnsupported,
                 "it is not a WAV file, and libsndfile.so.1, which reads other formats, is not "
                 "installed: apt install libsndfile1, or convert it to WAV"};
  Memory memory{bytes, 0};
  Virtual calls{length_of, seek_in, read_from, write_nothing, place_in};
  Described described{};
  const std::unique_ptr<void, int (*)(void*)> file(sndfile.open(&calls, kRead, &described, &memory),
                                                   sndfile.close);
  if (!file)
    return Error{ErrorKind::kCorrupt,
                 "libsndfile cannot read it: " + sanitized(sndfile.why(nullptr), 120)};
  if (described.samplerate < kLeastRate || described.samplerate > kMostRate ||
      described.channels < 1 || described.channels > kMostChannels)
    return Error{ErrorKind::kCorrupt, "the header says " + std::to_string(described.samplerate) +
                                          " Hz and " + std::to_string(described.channels) +
                                          " channels"};
  Clip clip;
  clip.channels = described.channels;
  clip.rate = described.samplerate;
  const int subtype = described.format & kSubtypes;
  clip.whole = subtype == kPcm8 || subtype == kPcm16 || subtype == kUnsigned8;
  // The number of frames in the header is only a claim; the readable number counts.
  constexpr std::int64_t kAtOnce = 65536;
  const auto channels = static_cast<std::size_t>(described.channels);
  std::vector<float> block(static_cast<std::size_t>(kAtOnce) * channels);
  for (std::int64_t n = 0; (n = sndfile.read(file.get(), block.data(), kAtOnce)) > 0;) {
    if (clip.samples.size() + block.size() > kMostSamples)
      return Error{ErrorKind::kLimit, "the recording has over " + std::to_string(kMostSamples) +
                                          " samples, the most that are read; cut it"};
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * channels; ++i)
      clip.samples.push_back(block[i] * 32768.0f);
  }
  if (clip.samples.empty()) return Error{ErrorKind::kCorrupt, "there are no samples"};
  EP_CHECK(check_finite(clip));
  return clip;
}

}  // namespace edgeprobe::audio
