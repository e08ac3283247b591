#include "edgeprobe.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include "handles.h"
#include "probe/fork.h"
#include "probe/picture.h"
#include "probe/probe.h"

using edgeprobe::DType;
using edgeprobe::Error;
using edgeprobe::Fault;
using edgeprobe::Status;
using edgeprobe::c::UsedFrame;
using edgeprobe::trace::Stage;
namespace probe = edgeprobe::probe;

namespace {

// Of the last failure in a thread. Plain bytes: a thread that fails needs no memory, and its end no work.
thread_local char last_error[512];

edgeprobe_status fail(edgeprobe_status status, const char* what) {
  std::snprintf(last_error, sizeof last_error, "%s", what);
  return status;
}

edgeprobe_status usage(const char* what) { return fail(EDGEPROBE_USAGE, what); }

edgeprobe_status code_of(Fault fault) {
  switch (fault) {
    case Fault::kUsage: return EDGEPROBE_USAGE;
    case Fault::kNotFound: return EDGEPROBE_NOT_FOUND;
    case Fault::kCorrupt: return EDGEPROBE_CORRUPT;
    case Fault::kUnsupported: return EDGEPROBE_UNSUPPORTED;
    case Fault::kLimit: return EDGEPROBE_LIMIT;
    case Fault::kTarget:
    case Fault::kInterrupted: break;
  }
  return EDGEPROBE_FAILED;
}

edgeprobe_status told(const Status& status) {
  return status ? EDGEPROBE_OK : fail(code_of(status.error().fault), status.error().what.c_str());
}

edgeprobe_status told(const UsedFrame& frame, bool is_done) {
  return is_done ? EDGEPROBE_OK : fail(code_of(frame->error().fault), frame->error().what.c_str());
}

edgeprobe_status off() { return fail(EDGEPROBE_OFF, "there is no probe: it was not opened, is closed, or this is a forked child"); }

edgeprobe_status refused(const UsedFrame& frame) {
  return frame.status() == EDGEPROBE_OFF ? off() : usage("the frame has ended already");
}

// Nothing is thrown to a C caller.
template <class Call>
edgeprobe_status guarded(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(EDGEPROBE_LIMIT, "no memory");
  } catch (const std::exception& error) {
    return fail(EDGEPROBE_FAILED, error.what());
  } catch (...) {
    return fail(EDGEPROBE_FAILED, "an exception of unknown kind");
  }
}

constexpr std::size_t kLongestSample = 16384;  // a record of it, escaped, fits the format

// Later versions of a struct only add at its end, so a caller's may be shorter or longer than ours.
constexpr std::uint32_t kLongestStruct = 4096;
bool is_struct_of(std::uint32_t size, std::size_t least) { return size >= least && size <= kLongestStruct; }

// C lets any number into an enum; reading such a one as the enum is undefined in C++.
template <class Enum>
int number_in(const Enum& place) {
  static_assert(sizeof place == sizeof(int));
  int value = 0;
  std::memcpy(&value, &place, sizeof value);
  return value;
}
template <class Enum>
bool in_range(const Enum& place, Enum last) {
  return static_cast<unsigned>(number_in(place)) <= static_cast<unsigned>(last);
}

probe::Options options_from(const edgeprobe_options& given) {
  probe::Options out;
  out.level = static_cast<probe::Level>(given.level);
  if (given.include) out.include = given.include;
  if (given.exclude) out.exclude = given.exclude;
  out.sampling = static_cast<probe::Sampling>(given.sampling);
  out.every = given.every;
  out.seed = given.seed;
  out.before = given.before;
  out.below_confidence = given.below_confidence;
  out.raw = static_cast<probe::Raw>(given.raw);
  out.raw_frames = given.raw_frames;
  out.raw_bytes = given.raw_bytes;
  out.sketch = given.sketch != 0;
  out.time_share = given.time_share;
  out.bytes_per_second = given.bytes_per_second;
  out.total_bytes = given.total_bytes;
  out.part_bytes = given.part_bytes;
  out.newest_parts = given.newest_parts;
  out.own_outputs = given.own_outputs;
  out.flush_ms = given.flush_ms;
  out.wait_when_full = given.wait_when_full != 0;
  if (given.redact)
    out.redact = [redact = given.redact, context = given.redact_context](const char* name, void* bytes, std::size_t size) {
      redact(context, name, bytes, size);
    };
  return out;
}

const char* why_wrong(const edgeprobe_options& options) {
  if (!in_range(options.level, EDGEPROBE_LEVEL_LAYERS)) return "options.level is no edgeprobe_level";
  if (!in_range(options.sampling, EDGEPROBE_SAMPLE_TRIGGER)) return "options.sampling is no edgeprobe_sampling";
  if (!in_range(options.raw, EDGEPROBE_RAW_ALL)) return "options.raw is no edgeprobe_raw";
  if (options.every == 0) return "options.every is 0, expected 1 or more";
  if (options.flush_ms == 0) return "options.flush_ms is 0, expected 1 or more";
  if (!(options.time_share >= 0 && options.time_share <= 1)) return "options.time_share is not between 0 and 1";
  if (options.below_confidence != options.below_confidence) return "options.below_confidence is not a number";
  return nullptr;
}

void give(const probe::Statistics& from, edgeprobe_statistics* to) {
  to->level = static_cast<edgeprobe_level>(std::max(0, static_cast<int>(from.level)));
  to->frames = from.frames;
  to->recorded_frames = from.recorded_frames;
  to->dropped_frames = from.dropped_frames;
  to->tensors = from.tensors;
  to->bytes = from.bytes;
  to->time_ns = from.time_ns;
}

// False for what is no stage of a tensor.
bool stage_from(int stage, Stage& out, bool& is_embedding) {
  is_embedding = stage == EDGEPROBE_STAGE_EMBEDDING;
  switch (stage) {
    case EDGEPROBE_STAGE_INTERMEDIATE: out = Stage::kIntermediate; return true;
    case EDGEPROBE_STAGE_MODEL_INPUT: out = Stage::kModelInput; return true;
    case EDGEPROBE_STAGE_LAYER:
    case EDGEPROBE_STAGE_EMBEDDING: out = Stage::kLayer; return true;
    case EDGEPROBE_STAGE_MODEL_OUTPUT: out = Stage::kModelOutput; return true;
    case EDGEPROBE_STAGE_VARIABLE: out = Stage::kVariable; return true;
    default: return false;
  }
}

static_assert(static_cast<int>(DType::kBool) == EDGEPROBE_BOOL && static_cast<int>(DType::kInt8) == EDGEPROBE_INT8 &&
              static_cast<int>(DType::kUInt64) == EDGEPROBE_UINT64 && static_cast<int>(DType::kFloat64) == EDGEPROBE_FLOAT64);
static_assert(static_cast<int>(probe::Pixels::kYv12) == EDGEPROBE_YV12 && static_cast<int>(probe::Pixels::kGray8) == EDGEPROBE_GRAY8);

edgeprobe::ByteView view(const void* data, std::size_t size) { return {static_cast<const std::byte*>(data), size}; }

// A variable of the application.
probe::Logged variable(const char* name) {
  probe::Logged logged;
  logged.stage = Stage::kVariable;
  logged.name = name;
  return logged;
}

edgeprobe_status log_text(edgeprobe_frame* handle, const char* name, const char* text, const char* encoding) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name || !text) return usage("the name or the text is NULL");
  return guarded([&] {
    constexpr std::int64_t kOpen = -1;
    probe::Logged logged = variable(name);
    logged.dtype = DType::kUInt8;
    logged.rank = 1;
    logged.shape = &kOpen;
    logged.encoding = encoding;
    return told(frame, frame->tensor(logged, view(text, std::strlen(text))));
  });
}

// The application's hook may call this library: no latch is held while it runs.
edgeprobe_status log_raw(edgeprobe_frame* handle, const probe::Logged& logged, const edgeprobe::trace::Rows& rows) {
  edgeprobe::Bytes copy;
  std::shared_ptr<probe::Probe> owner;
  {
    UsedFrame frame(handle);
    if (!frame) return refused(frame);
    owner = frame.owner();
    if (!owner->recorder().options.redact || !frame->wants_raw()) return told(frame, frame->raw(logged, rows));
  }
  copy.reserve(rows.size());
  for (std::size_t i = 0; i < rows.count; ++i) copy.insert(copy.end(), rows.row(i).begin(), rows.row(i).end());
  owner->recorder().options.redact(std::string(logged.name).c_str(), copy.data(), copy.size());
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  return told(frame, frame->raw(logged, copy));
}

template <class Call>
edgeprobe_status with_probe(edgeprobe_probe* handle, const Call& call) {
  const auto probe = edgeprobe::c::find(handle);
  if (!probe) return off();
  return guarded([&] { return call(*probe); });
}

}  // namespace

extern "C" {

int edgeprobe_abi_version(void) { return EDGEPROBE_ABI_MAJOR * 1000 + EDGEPROBE_ABI_MINOR; }
const char* edgeprobe_version(void) { return EDGEPROBE_VERSION; }
const char* edgeprobe_last_error(void) { return last_error; }
edgeprobe_status edgeprobe_fail(edgeprobe_status status, const char* what) { return fail(status, what ? what : ""); }

void edgeprobe_options_init(edgeprobe_options* options) {
  if (!options) return;
  const probe::Options defaults;
  *options = {};
  options->struct_size = sizeof *options;
  options->level = static_cast<edgeprobe_level>(defaults.level);
  options->every = defaults.every;
  options->raw_frames = defaults.raw_frames;
  options->raw_bytes = defaults.raw_bytes;
  options->flush_ms = defaults.flush_ms;
}

edgeprobe_status edgeprobe_open(const char* path, const edgeprobe_options* options, edgeprobe_probe** out) {
  if (!out) return usage("the place for the probe is NULL");
  *out = nullptr;
  if (!path || !*path) return usage("the path is NULL or empty");
  edgeprobe_options all;
  edgeprobe_options_init(&all);
  if (options) {
    if (!is_struct_of(options->struct_size, sizeof all)) return usage("options.struct_size is wrong: call edgeprobe_options_init() first");
    std::memcpy(&all, options, std::min<std::size_t>(options->struct_size, sizeof all));
  }
  if (const char* why = why_wrong(all)) return usage(why);
  return guarded([&] {
    auto opened = probe::Probe::open(path, options_from(all));
    if (!opened) return told(opened.error());
    *out = edgeprobe::c::keep(std::shared_ptr<probe::Probe>(std::move(*opened)));
    return *out ? EDGEPROBE_OK : fail(EDGEPROBE_LIMIT, "too many probes are open");
  });
}

edgeprobe_status edgeprobe_statistics_now(edgeprobe_probe* handle, edgeprobe_statistics* statistics) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!statistics || !is_struct_of(statistics->struct_size, sizeof *statistics)) return usage("statistics is NULL, or its struct_size is wrong");
    give(probe.statistics(), statistics);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_flush(edgeprobe_probe* handle) {
  return with_probe(handle, [](probe::Probe& probe) { return told(probe.flush()); });
}

edgeprobe_status edgeprobe_close(edgeprobe_probe* handle, edgeprobe_statistics* statistics) {
  return guarded([&] {
    if (statistics && !is_struct_of(statistics->struct_size, sizeof *statistics)) return usage("statistics.struct_size is wrong");
    const auto probe = edgeprobe::c::give_up(handle);
    if (!probe) return off();
    const auto closed = probe->close();
    if (statistics) give(closed ? *closed : probe->statistics(), statistics);
    return closed ? EDGEPROBE_OK : told(closed.error());
  });
}

edgeprobe_status edgeprobe_describe(edgeprobe_probe* handle, const char* key, const char* value) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!key || !*key || !value) return usage("the key is NULL or empty, or the value is NULL");
    return told(probe.recorder().describe(key, value));
  });
}

edgeprobe_status edgeprobe_frame_begin(edgeprobe_probe* handle, edgeprobe_frame** out) {
  if (!out) return usage("the place for the frame is NULL");
  *out = nullptr;
  const auto probe = edgeprobe::c::find(handle);
  if (!probe) return off();
  return guarded([&] {
    *out = edgeprobe::c::begin(handle, probe);
    return *out ? EDGEPROBE_OK : EDGEPROBE_OFF;
  });
}

edgeprobe_status edgeprobe_frame_end(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  return guarded([&] { return told(frame.end()); });
}

uint32_t edgeprobe_frame_number(const edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  return frame ? frame->number() : 0;
}

edgeprobe_status edgeprobe_frame_sample(edgeprobe_frame* handle, const char* name) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name) return usage("the name of the sample is NULL");
  if (std::strlen(name) > kLongestSample) return fail(EDGEPROBE_LIMIT, "the name of the sample is over 16384 bytes long; it was left out");
  return guarded([&] {
    frame->sample(name);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_frame_label(edgeprobe_frame* handle, int32_t label) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->label(label);
  return EDGEPROBE_OK;
}

edgeprobe_status edgeprobe_frame_start(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->start();
  return EDGEPROBE_OK;
}

edgeprobe_status edgeprobe_frame_stop(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  return told(frame, frame->stop());
}

edgeprobe_status edgeprobe_frame_trip(edgeprobe_frame* handle, const char* reason) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!reason) return usage("the reason is NULL");
  return guarded([&] { return told(frame, frame->trip(reason)); });
}

int edgeprobe_frame_wants(const edgeprobe_frame* handle, int stage) {
  UsedFrame frame(handle);
  if (!frame) return 0;
  Stage wanted = Stage::kRawInput;
  bool is_embedding = false;
  if (stage == EDGEPROBE_STAGE_RAW_INPUT) return frame->wants_raw();
  return stage_from(stage, wanted, is_embedding) && frame->wants(wanted, is_embedding);
}

edgeprobe_status edgeprobe_log_tensor(edgeprobe_frame* handle, const edgeprobe_tensor* tensor) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!tensor || !is_struct_of(tensor->struct_size, sizeof *tensor)) return usage("the tensor is NULL, or its struct_size is wrong");
  probe::Logged logged;
  if (!stage_from(number_in(tensor->stage), logged.stage, logged.is_embedding)) return usage("tensor.stage is no stage of a tensor");
  if (!in_range(tensor->dtype, EDGEPROBE_BOOL)) return usage("tensor.dtype is no edgeprobe_dtype");
  if (!tensor->name) return usage("tensor.name is NULL");
  if (tensor->rank > EDGEPROBE_MAX_RANK || (tensor->rank && !tensor->shape)) return usage("tensor.rank is over 32, or tensor.shape is NULL");
  if (tensor->size && !tensor->data) return usage("tensor.data is NULL");
  if (tensor->scale_count && !tensor->scale) return usage("tensor.scale is NULL");
  logged.dtype = static_cast<DType>(tensor->dtype);
  logged.name = tensor->name;
  if (tensor->layer_type) logged.layer_type = tensor->layer_type;
  logged.rank = tensor->rank;
  logged.shape = tensor->shape;
  logged.scale_count = tensor->scale_count;
  logged.scale = tensor->scale;
  logged.zero_point = tensor->zero_point;
  logged.axis = tensor->axis;
  logged.position = std::max(-1, tensor->position);
  return guarded([&] { return told(frame, frame->tensor(logged, view(tensor->data, tensor->size))); });
}

edgeprobe_status edgeprobe_log_image(edgeprobe_frame* handle, const edgeprobe_image* image) {
  if (!handle) return off();
  if (!image || !is_struct_of(image->struct_size, sizeof *image)) return usage("the image is NULL, or its struct_size is wrong");
  if (!image->name || !image->data) return usage("image.name or image.data is NULL");
  if (!in_range(image->format, EDGEPROBE_YV12)) return usage("image.format is no edgeprobe_pixels");
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

edgeprobe_status edgeprobe_log_audio(edgeprobe_frame* handle, const char* name, edgeprobe_dtype dtype, const void* samples,
                                     size_t samples_per_channel, uint32_t channels, uint32_t samples_per_second) {
  if (!handle) return off();
  if (!name || !samples) return usage("the name or the samples are NULL");
  if (dtype != EDGEPROBE_INT16 && dtype != EDGEPROBE_FLOAT32) return usage("sound is EDGEPROBE_INT16 or EDGEPROBE_FLOAT32");
  if (channels == 0 || samples_per_second == 0) return usage("the channels or the samples per second are 0");
  const std::size_t width = edgeprobe::size_of(static_cast<DType>(dtype));
  if (samples_per_channel > std::numeric_limits<std::size_t>::max() / 2 / width / channels) return usage("more samples than there is memory");
  return guarded([&] {
    const std::int64_t shape[2] = {static_cast<std::int64_t>(samples_per_channel), channels}, rate = samples_per_second;
    probe::Logged logged;
    logged.stage = Stage::kRawInput;
    logged.name = name;
    logged.dtype = static_cast<DType>(dtype);
    logged.encoding = "audio";
    logged.rank = 2;
    logged.shape = shape;
    logged.traits = &rate;
    logged.trait_count = 1;
    logged.describe = [](const std::int64_t* traits, edgeprobe::trace::Channel& channel) { channel.extra["sample_rate"] = std::to_string(*traits); };
    return log_raw(handle, logged, view(samples, samples_per_channel * channels * width));
  });
}

edgeprobe_status edgeprobe_log_encoded(edgeprobe_frame* handle, const char* name, const void* bytes, size_t size) {
  if (!handle) return off();
  if (!name || (size && !bytes)) return usage("the name or the bytes are NULL");
  return guarded([&] {
    constexpr std::int64_t kOpen = -1;
    probe::Logged logged;
    logged.stage = Stage::kRawInput;
    logged.name = name;
    logged.dtype = DType::kUInt8;
    logged.encoding = "encoded";
    logged.rank = 1;
    logged.shape = &kOpen;
    return log_raw(handle, logged, view(bytes, size));
  });
}

edgeprobe_status edgeprobe_log_scalar(edgeprobe_frame* handle, const char* name, double value) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name) return usage("the name is NULL");
  return guarded([&] {
    probe::Logged logged = variable(name);
    logged.dtype = DType::kFloat64;
    return told(frame, frame->tensor(logged, view(&value, sizeof value)));
  });
}

edgeprobe_status edgeprobe_log_vector(edgeprobe_frame* handle, const char* name, const double* values, size_t count) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name || (count && !values)) return usage("the name or the values are NULL");
  if (count > std::numeric_limits<std::size_t>::max() / 16) return usage("more values than there is memory");
  return guarded([&] {
    const auto length = static_cast<std::int64_t>(count);
    probe::Logged logged = variable(name);
    logged.dtype = DType::kFloat64;
    logged.rank = 1;
    logged.shape = &length;
    return told(frame, frame->tensor(logged, view(values, count * sizeof *values)));
  });
}

edgeprobe_status edgeprobe_log_text(edgeprobe_frame* frame, const char* name, const char* text) { return log_text(frame, name, text, "utf8"); }
edgeprobe_status edgeprobe_log_json(edgeprobe_frame* frame, const char* name, const char* json) { return log_text(frame, name, json, "json"); }

edgeprobe_span edgeprobe_span_begin(edgeprobe_frame* handle, const char* name) {
  UsedFrame frame(handle);
  return {handle, name, frame ? frame.probe().recorder().clock.now_ns() : 0};
}

edgeprobe_status edgeprobe_span_end(edgeprobe_span* span) {
  if (!span) return usage("the span is NULL");
  UsedFrame frame(span->frame);
  if (!frame) return refused(frame);
  if (!span->name || span->start_ns == 0) return usage("the span was not begun, or has ended already");
  return guarded([&] {
    const bool done = frame->span(span->name, span->start_ns);
    span->start_ns = 0;
    return told(frame, done);
  });
}

edgeprobe_status edgeprobe_mark(edgeprobe_probe* handle, const char* name, const char* text) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name) return usage("the name of the mark is NULL");
    return told(probe.recorder().mark(name, text ? text : ""));
  });
}

edgeprobe_status edgeprobe_sensor(edgeprobe_probe* handle, const char* name, const double* values, size_t count, const char* unit) {
  return edgeprobe_sensor_ago(handle, name, values, count, unit, 0);
}

edgeprobe_status edgeprobe_sensor_ago(edgeprobe_probe* handle, const char* name, const double* values, size_t count, const char* unit,
                                      uint64_t age_ns) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || (count && !values)) return usage("the name or the values are NULL");
    return told(probe.recorder().sensor(name, values, count, unit ? unit : "", age_ns));
  });
}

edgeprobe_status edgeprobe_sensor_absent(edgeprobe_probe* handle, const char* name, const char* unit, const char* reason) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || !reason) return usage("the name or the reason is NULL");
    return told(probe.recorder().sensor_absent(name, unit ? unit : "", reason));
  });
}

}  // extern "C"
