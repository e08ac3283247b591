// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "audio/clip.h"
#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// Whether a file holds sound, by its ending: .wav, .flac, .ogg, .pcm, …
bool is_sound_name(std::string_view file_name);

/// A recording from the bytes of a file: WAV and raw PCM here, everything else by libsndfile.
/// kCorrupt says what is wrong with a header or a sample, where, and what would cure it.
Result<Clip> decode(ByteView bytes, std::string_view file_name);

/// RIFF/WAVE: 8 to 32 bits, float and double, the extensible form of each.
Result<Clip> decode_wav(ByteView bytes);

/// Samples without a header. What they are is said by words between '_' in the file's name, as
/// "door_16000hz_2ch_s16be.pcm": the rate is needed; one channel of s16 where nothing is said.
/// Known are u8, s8, s16, s16be, s24, s32, f32.
Result<Clip> decode_pcm(ByteView bytes, std::string_view file_name);

/// FLAC, Ogg, MP3, AIFF, … by libsndfile, which is opened when it is first needed. kUnsupported
/// without it.
Result<Clip> decode_sndfile(ByteView bytes);

/// The first sample that is not finite as an error; nothing where all are.
Status check_finite(const Clip& clip);

}  // namespace edgeprobe::audio
