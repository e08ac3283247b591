// SPDX-License-Identifier: Apache-2.0
// Any bytes as a WAV file and as raw samples: no crash; what is read is finite and has a rate, and
// a front end makes finite features of it.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "audio/decode.h"
#include "audio/front_end.h"
#include "audio/synthesis.h"

using namespace edgeprobe;

namespace {

void check_clip(const Result<audio::Clip>& clip) {
  if (!clip) {
    if (clip.error().what.empty()) std::abort();
    return;
  }
  if (clip->samples.empty() || clip->channels < 1 || !(clip->rate >= audio::kLeastRate) ||
      clip->samples.size() % static_cast<std::size_t>(clip->channels) != 0)
    std::abort();
  for (const float sample : clip->samples)
    if (!std::isfinite(sample)) std::abort();
  // Other rates only cost time in a resampler.
  if (clip->rate != 16000) return;
  audio::Synthesis synthesis(*clip);
  for (const audio::NamedFrontEnd& named : audio::named_front_ends()) {
    audio::FrontEnd front_end = named.front_end;
    if (front_end.length > 16000) front_end.length = 16000;
    const auto features = synthesis.features(front_end);
    if (!features) continue;
    for (const double value : features->values)
      if (std::isnan(value)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  check_clip(audio::decode_wav(bytes));
  check_clip(audio::decode_pcm(bytes, "x_16000hz_2ch_f32.pcm"));
  check_clip(audio::decode_pcm(bytes, bytes.text().substr(0, 40)));
  return 0;
}
