// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "answers.h"
#include "core/text.h"
#include "probe/picture.h"
#include "probe/probe.h"
#include "trace/names.h"

// Raw inputs of a frame: the data passed to pre-processing.

namespace probe = edgeprobe::probe;
using edgeprobe::DType;
using edgeprobe::trace::Stage;
using namespace edgeprobe::c;

namespace {

static_assert(static_cast<int>(probe::Pixels::kYv12) == EDGEPROBE_YV12 &&
              static_cast<int>(probe::Pixels::kGray8) == EDGEPROBE_GRAY8);

/// Maximum that a reader accepts as readings (docs/reference/limits.md).
constexpr std::uint32_t kMostAxes = 64;
constexpr double kLeastRate = 0.001, kMostRate = 1'000'000;

// The application's hook may call this library, so no latch is held while it runs.
edgeprobe_status log_raw(edgeprobe_frame* handle, const probe::Logged& logged,
                         const edgeprobe::trace::StridedBytes& rows) {
  edgeprobe::Bytes copy;
  std::shared_ptr<probe::Probe> owner;
  {
    UsedFrame frame(handle);
    if (!frame) return refused(frame);
    owner = frame.owner();
    if (!owner->recorder().options.redact || !frame->wants_raw())
      return told(frame, frame->raw(logged, rows));
  }
  const std::uint64_t start = owner->recorder().clock.ticks();
  copy.reserve(rows.size());
  for (std::size_t i = 0; i < rows.count; ++i)
    copy.insert(copy.end(), rows.row(i).begin(), rows.row(i).end());
  redacting = true;
  owner->recorder().options.redact(std::string(logged.name).c_str(), copy.data(), copy.size());
  redacting = false;
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->spent_since(start);
  return told(frame, frame->raw(logged, copy));
}

// Records raw data of any size, such as a file or a text.
edgeprobe_status log_open(edgeprobe_frame* handle, const char* name, const char* encoding,
                          edgeprobe::ByteView bytes) {
  return guarded([&] {
    constexpr std::int64_t kOpen = -1;
    probe::Logged logged;
    logged.stage = Stage::kRawInput;
    logged.name = name;
    logged.dtype = DType::kUInt8;
    logged.encoding = encoding;
    logged.rank = 1;
    logged.shape = &kOpen;
    return log_raw(handle, logged, bytes);
  });
}

}  // namespace

extern "C" {

edgeprobe_status edgeprobe_log_image(edgeprobe_frame* handle, const edgeprobe_image* image) {
  if (!handle) return off();
  if (!image ||
      !is_struct_of(image->struct_size, offsetof(edgeprobe_image, bt709) + sizeof image->bt709))
    return usage("the image is NULL, or its struct_size is wrong");
  if (!image->name || !image->data) return usage("image.name or image.data is NULL");
  if (!in_range(image->format, EDGEPROBE_YV12))
    return usage("image.format is not an edgeprobe_pixels");
  probe::Picture picture;
  picture.name = image->name;
  picture.format = static_cast<probe::Pixels>(image->format);
  picture.width = image->width;
  picture.height = image->height;
  picture.stride = image->stride;
  picture.chroma_stride = image->chroma_stride;
  picture.bytes = view(image->data, image->size);
  picture.rotation = image->rotation;
  picture.is_mirrored = image->mirrored != 0;
  picture.is_full_range = image->full_range != 0;
  picture.is_bt709 = image->bt709 != 0;
  return guarded([&] {
    probe::PictureTensor tensor;
    if (auto made = tensor.make(picture); !made) return told(made);
    return log_raw(handle, tensor.logged(), tensor.rows());
  });
}

edgeprobe_status edgeprobe_log_audio(edgeprobe_frame* handle, const char* name,
                                     edgeprobe_dtype dtype, const void* samples,
                                     size_t samples_per_channel, uint32_t channels,
                                     uint32_t samples_per_second) {
  if (!handle) return off();
  if (!name || !samples) return usage("the name or the samples are NULL");
  if (dtype != EDGEPROBE_INT16 && dtype != EDGEPROBE_FLOAT32)
    return usage("sound is EDGEPROBE_INT16 or EDGEPROBE_FLOAT32");
  if (channels == 0 || samples_per_second == 0)
    return usage("the channels or the samples per second are 0");
  const std::size_t width = edgeprobe::size_of(static_cast<DType>(dtype));
  if (samples_per_channel > std::numeric_limits<std::size_t>::max() / 2 / width / channels)
    return usage("more samples than there is memory");
  return guarded([&] {
    const std::int64_t shape[2] = {static_cast<std::int64_t>(samples_per_channel), channels},
                       rate = samples_per_second;
    probe::Logged logged;
    logged.stage = Stage::kRawInput;
    logged.name = name;
    logged.dtype = static_cast<DType>(dtype);
    logged.encoding = "audio";
    logged.rank = 2;
    logged.shape = shape;
    logged.traits = &rate;
    logged.trait_count = 1;
    logged.describe = [](const std::int64_t* traits, edgeprobe::trace::Channel& channel) {
      channel.extra["sample_rate"] = std::to_string(*traits);
    };
    return log_raw(handle, logged, view(samples, samples_per_channel * channels * width));
  });
}

edgeprobe_status edgeprobe_log_readings(edgeprobe_frame* handle, const char* name,
                                        edgeprobe_dtype dtype, const void* values, size_t steps,
                                        uint32_t axes, double steps_per_second) {
  if (!handle) return off();
  if (!name || (steps && !values)) return usage("the name or the values are NULL");
  if (!in_range(dtype, EDGEPROBE_UINT64))
    return usage("readings are numbers: an edgeprobe_dtype up to EDGEPROBE_UINT64");
  if (axes == 0 || axes > kMostAxes) return usage("readings have 1 to 64 axes");
  if (steps_per_second != 0 && !(steps_per_second >= kLeastRate && steps_per_second <= kMostRate))
    return usage("the steps per second must be 0.001 Hz to 1 MHz, or 0 if unknown");
  const std::size_t width = edgeprobe::size_of(static_cast<DType>(dtype));
  if (steps > std::numeric_limits<std::size_t>::max() / 2 / width / axes)
    return usage("more values than there is memory");
  return guarded([&] {
    const std::int64_t shape[2] = {static_cast<std::int64_t>(steps), axes};
    std::int64_t rate = 0;
    static_assert(sizeof rate == sizeof steps_per_second);
    std::memcpy(&rate, &steps_per_second, sizeof rate);
    probe::Logged logged;
    logged.stage = Stage::kRawInput;
    logged.name = name;
    logged.dtype = static_cast<DType>(dtype);
    logged.encoding = "readings";
    logged.rank = 2;
    logged.shape = shape;
    logged.traits = &rate;
    logged.trait_count = 1;
    logged.describe = [](const std::int64_t* traits, edgeprobe::trace::Channel& channel) {
      double hz = 0;
      std::memcpy(&hz, traits, sizeof hz);
      if (hz > 0) channel.extra["sample_rate"] = edgeprobe::number(hz, 12);
    };
    return log_raw(handle, logged, view(values, steps * axes * width));
  });
}

edgeprobe_status edgeprobe_log_encoded(edgeprobe_frame* handle, const char* name, const void* bytes,
                                       size_t size) {
  if (!handle) return off();
  if (!name || (size && !bytes)) return usage("the name or the bytes are NULL");
  return log_open(handle, name, "encoded", view(bytes, size));
}

edgeprobe_status edgeprobe_log_raw_text(edgeprobe_frame* handle, const char* name, const char* text,
                                        size_t size) {
  if (!handle) return off();
  if (!name || (size && !text)) return usage("the name or the text is NULL");
  if (!edgeprobe::trace::is_utf8({text, size}))
    return usage(
        "the text is not UTF-8; convert it, or log its bytes with edgeprobe_log_encoded()");
  return log_open(handle, name, "utf8", view(text, size));
}

}  // extern "C"
