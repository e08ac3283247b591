// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/decode/decode_options.h"
#include "preprocess/decode/image.h"
#include "preprocess/picture/yuv.h"

/// The same recorded bytes, read one way or another: what the reference decodes, and what an app
/// may have made of them.
namespace edgeprobe::preprocess {

/// Recorded bytes and what they are. Borrowed.
struct Source {
  ByteView bytes;
  /// Of a camera frame; without it the bytes are a JPEG, PNG or BMP file.
  std::optional<YuvFrame> frame;
};

/// The pixels. kUsage when an option does not belong to these bytes (decode(nv21) of a JPEG) or its
/// reading would reach past their end; else as decode() and decode_yuv() fail.
Result<Decoded> read(const Source& source, const Decode& how = {});

/// Another reading of the same bytes.
struct Reading {
  /// "chroma_order", "yuv_matrix", "yuv_range", "row_stride", "chroma_layout", "yuv_arithmetic",
  /// "scaled_decode", "jpeg_decoder", "png_depth", "alpha", "stored_orientation".
  std::string kind;
  /// What the app does then, e.g. "the app takes the frame's nv12 for nv21: U and V are swapped".
  std::string detail;
  std::string step;          ///< The recipe's first step that says so, e.g. "decode(nv21)".
  Decode how;                ///< The same for read().
  bool can_be_fault = true;  ///< False: decoders may differ in this; at most a note.
};

/// The readings that differ from the plain one for these bytes and can be read, each a single
/// difference. Those that could be a fault come first. Nothing is decoded; empty for bytes that
/// have no other reading or are damaged.
std::vector<Reading> alternative_readings(const Source& source);

/// What a frame is taken for by such a reading, and where its planes are then read. The result may
/// reach past the bytes.
YuvFrame taken_as(const YuvFrame& frame, const Decode& how);
Result<YuvPlanes> planes_of(const YuvFrame& frame, const Decode& how);
/// Whether the frame is whole and this reading stays within its bytes.
bool fits(const Source& source, const Decode& how);
/// Whether rows are longer than their pixels.
bool is_padded(const YuvFrame& frame);

/// The image turned upright: `orientation` is EXIF's 1..8.
Image oriented(const Image& image, int orientation);
/// EXIF's number for a turn by `rotation` degrees clockwise of a picture that may be mirrored (left
/// and right swapped first).
int orientation_of(int rotation, bool mirrored);

}  // namespace edgeprobe::preprocess
