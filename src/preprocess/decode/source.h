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

/// Different readings of the same recorded bytes: that of the reference, and those that an app may
/// have used.
namespace edgeprobe::preprocess {

/// Recorded bytes and their format. Borrowed.
struct Source {
  ByteView bytes;
  /// For a camera frame; if unset, the bytes are a JPEG, PNG or BMP file.
  std::optional<YuvFrame> frame;
};

/// Decodes the pixels. kUsage if an option does not apply to these bytes (decode(nv21) for a JPEG)
/// or would read past their end; other errors as for decode() and decode_yuv().
Result<Decoded> read(const Source& source, const Decode& how = {});

/// Another reading of the same bytes.
struct Reading {
  /// "chroma_order", "yuv_matrix", "yuv_range", "row_stride", "chroma_layout", "yuv_arithmetic",
  /// "scaled_decode", "jpeg_decoder", "png_depth", "alpha", "stored_orientation".
  std::string kind;
  /// Describes the app's fault, e.g. "the app takes the frame's nv12 for nv21: U and V are
  /// swapped".
  std::string detail;
  std::string step;          ///< The decode step that expresses it, e.g. "decode(nv21)".
  Decode how;                ///< The same reading as options for read().
  bool can_be_fault = true;  ///< False: decoders may legitimately differ in this; at most a note.
};

/// Returns the valid readings of these bytes that differ from the plain one, each by a single
/// change. Possible faults come first. Nothing is decoded; empty if the bytes have no other reading
/// or are damaged.
std::vector<Reading> alternative_readings(const Source& source);

/// The frame as this reading interprets it, with the positions of its planes. The result may reach
/// past the bytes.
YuvFrame taken_as(const YuvFrame& frame, const Decode& how);
Result<YuvPlanes> planes_of(const YuvFrame& frame, const Decode& how);
/// True if the frame is complete and this reading stays within its bytes.
bool fits(const Source& source, const Decode& how);
/// True if rows are longer than their pixels.
bool is_padded(const YuvFrame& frame);

/// Returns the image rotated upright: `orientation` is EXIF's 1..8.
Image oriented(const Image& image, int orientation);
/// EXIF orientation for a clockwise rotation by `rotation` degrees of a picture that may be
/// mirrored (left and right swapped first).
int orientation_of(int rotation, bool mirrored);

}  // namespace edgeprobe::preprocess
