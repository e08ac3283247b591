// SPDX-License-Identifier: Apache-2.0
// "NAME\n" and bytes, as a camera frame's file: no crash; a description prints and fits; every
// reading stays within the bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dataset/frame_name.h"
#include "dataset/sample.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view name = text.substr(0, line);
  const ByteView bytes = view_of(line < text.size() ? text.substr(line + 1) : std::string_view{});
  const auto frame = dataset::frame_from_name(name);
  if (!frame) {
    if (frame.error().what.empty()) std::abort();
    return 0;
  }
  if (!dataset::is_frame_name(name) || preprocess::to_text(*frame).empty()) std::abort();
  const auto planes = preprocess::planes_of(*frame);
  if (!planes || planes->least > planes->whole) std::abort();
  // Resizes the input to the description's size, so that pixels are read, too.
  if (std::int64_t(frame->height) * frame->width > 1 << 14 || planes->whole > 1 << 18) return 0;
  Bytes whole = bytes.copy();
  whole.resize(planes->least + bytes.size % (planes->whole - planes->least + 1), std::byte{77});
  const auto loaded = dataset::load_frame(std::move(whole), *frame, name);
  const dataset::Picture* const picture = loaded ? dataset::picture_of(loaded->input) : nullptr;
  if (!picture ||
      picture->image.pixels.size() != std::size_t(frame->height) * std::size_t(frame->width) * 3)
    std::abort();
  const preprocess::Source source = dataset::source_of(*picture);
  for (const preprocess::Reading& reading : preprocess::alternative_readings(source)) {
    const auto read = preprocess::read(source, reading.how);
    if (!read || read->image.pixels.size() != picture->image.pixels.size()) std::abort();
  }
  const auto refused = dataset::load_file(bytes.copy(), name);
  if (refused.has_value() != (bytes.size >= planes->least && bytes.size <= planes->whole))
    std::abort();
  return 0;
}
