// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "audio/clip.h"
#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// True if a file holds sound, judged by its extension: .wav, .flac, .ogg, .pcm, …
bool is_sound_name(std::string_view file_name);

/// Decodes a sound file: WAV and raw PCM with our own code, everything else with libsndfile.
/// kCorrupt states the problem with a header or a sample, its position, and the remedy.
Result<Clip> decode(ByteView bytes, std::string_view file_name);

/// RIFF/WAVE: 8 to 32 bits, float and double, and their extensible forms.
Result<Clip> decode_wav(ByteView bytes);

/// Samples without a header. The file name states the format in words separated by '_', as
/// "door_16000hz_2ch_s16be.pcm": the rate is required; the default is one channel of s16. Known
/// formats are u8, s8, s16, s16be, s24, s32, f32.
Result<Clip> decode_pcm(ByteView bytes, std::string_view file_name);

/// FLAC, Ogg, MP3, AIFF, … with libsndfile, which is loaded on first use. kUnsupported without it.
Result<Clip> decode_sndfile(ByteView bytes);

/// Reports the first sample that is not finite; success if all are.
Status check_finite(const Clip& clip);

}  // namespace edgeprobe::audio
