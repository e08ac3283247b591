// SPDX-License-Identifier: Apache-2.0
/* The wire is specified in docs/guides/microcontroller.md. On every Cortex-M this file compiles
 * without a call to a C library or to the compiler's runtime: it contains no division, no 64-bit
 * product or shift, and no copy loop that a compiler would replace by memcpy. */
#include "edgeprobe_mcu.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "values go over the wire as they lie in memory, which must be little-endian"
#endif

enum {
  kHello = 1,
  kFact,
  kChannel,
  kFrame,
  kTensor,
  kScalar,
  kText,
  kFrameEnd,
  kMark,
  kSensor,
  kGoodbye,
  kAnswer
};
enum { kVersion = 1, kMaxRank = 8, kMaxSensorValues = 32, kRepeatFrames = 32 };
enum { kHasLabel = 1, kHasLatency = 2, kBeginsSequence = 4, kIsTimed = 8 };
/* Places in the packet: delimiter, COBS code, number, part; then the message's bytes, CRC-32,
 * delimiter. */
enum { kNumberAt = 2, kPartAt = 6, kBytesAt = 7, kBytesEnd = EDGEPROBE_MCU_PACKET - 5 };
enum { kFirstPart = 1, kLastPart = 2 };

/* Four bits at a time: the table takes 64 bytes instead of 1024. */
static const uint32_t kCrcTable[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
                                       0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
                                       0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                       0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};

static uint32_t crc_add(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  crc = (crc >> 4) ^ kCrcTable[crc & 15u];
  return (crc >> 4) ^ kCrcTable[crc & 15u];
}

static void store_u32(uint8_t* at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
}

/* --- packets
 * ---------------------------------------------------------------------------------------------------
 */

static void send_packet(edgeprobe_mcu* probe, uint8_t last_part) {
  uint8_t* const packet = probe->packet;
  unsigned end = probe->length;
  store_u32(packet + kNumberAt, probe->packet_number++);
  packet[kPartAt] = (uint8_t)((probe->is_first ? kFirstPart : 0) | last_part);
  uint32_t crc = 0xffffffffu;
  for (unsigned i = kNumberAt; i < end; ++i) crc = crc_add(crc, packet[i]);
  store_u32(packet + end, ~crc);
  end += 4;
  /* COBS: each zero becomes the distance to the next one. A packet is too short for a second code
   * byte. */
  unsigned code_at = 1;
  for (unsigned i = kNumberAt; i < end; ++i) {
    if (packet[i] != 0) continue;
    packet[code_at] = (uint8_t)(i - code_at);
    code_at = i;
  }
  packet[code_at] = (uint8_t)(end - code_at);
  packet[0] = 0;
  packet[end++] = 0;
  /* After a refusal the message is lost, so its other packets are not sent. */
  if (!probe->refused && probe->options.write(probe->options.context, packet, end) != end)
    probe->refused = 1;
  probe->length = kBytesAt;
  probe->is_first = 0;
}

static void put(edgeprobe_mcu* probe, const void* bytes, size_t size) {
  const uint8_t* const from = (const uint8_t*)bytes;
  uint32_t crc = probe->message_crc;
  for (size_t i = 0; i < size && !probe->refused; ++i) {
    if (probe->length == kBytesEnd) send_packet(probe, 0);
    probe->packet[probe->length++] = from[i];
    crc = crc_add(crc, from[i]);
  }
  probe->message_crc = crc;
}

static void put_u32(edgeprobe_mcu* probe, uint32_t value) {
  uint8_t bytes[4];
  store_u32(bytes, value);
  put(probe, bytes, 4);
}
static void put_u8(edgeprobe_mcu* probe, uint8_t value) { put(probe, &value, 1); }
static void put_u16(edgeprobe_mcu* probe, uint16_t value) {
  put_u8(probe, (uint8_t)value);
  put_u8(probe, (uint8_t)(value >> 8));
}
static void put_u64(edgeprobe_mcu* probe, uint64_t value) {
  put_u32(probe, (uint32_t)value);
  put_u32(probe, (uint32_t)(value >> 32));
}

/* Writes a text without its final zero byte. */
static void put_text(edgeprobe_mcu* probe, const char* text) {
  if (!text) return;
  size_t size = 0;
  while (text[size] != 0) ++size;
  put(probe, text, size);
}
static void put_name(edgeprobe_mcu* probe, const char* text) {
  put_text(probe, text);
  put_u8(probe, 0);
}

static void begin_message(edgeprobe_mcu* probe, uint8_t kind) {
  probe->length = kBytesAt;
  probe->is_first = 1;
  probe->refused = 0;
  probe->message_crc = 0xffffffffu;
  put_u8(probe, kind);
}

static int end_message(edgeprobe_mcu* probe) {
  if (!probe->is_first) put_u32(probe, ~probe->message_crc);
  if (!probe->refused) send_packet(probe, kLastPart);
  return probe->refused ? EDGEPROBE_MCU_LIMIT : EDGEPROBE_MCU_OK;
}

/* --- descriptions for the receiver
 * ------------------------------------------------------------------------------- */

static int send_hello(edgeprobe_mcu* probe) {
  begin_message(probe, kHello);
  put_u8(probe, kVersion);
  put_u32(probe, probe->options.run);
  put_u32(probe, probe->frame);
  put_u32(probe, probe->dropped_frames);
  int status = end_message(probe);
  for (uint16_t i = 0; status == EDGEPROBE_MCU_OK && i < probe->options.fact_count; ++i) {
    begin_message(probe, kFact);
    put_name(probe, probe->options.facts[i].key);
    put_text(probe, probe->options.facts[i].value);
    status = end_message(probe);
  }
  return status;
}

static int send_channel(edgeprobe_mcu* probe, uint16_t number) {
  edgeprobe_mcu_channel* const channel = &probe->options.channels[number];
  const edgeprobe_mcu_tensor* const tensor = channel->tensor;
  const uint16_t zero_points = tensor->zero_point ? tensor->scale_count : 0;
  begin_message(probe, kChannel);
  put_u16(probe, number);
  const uint8_t head[] = {tensor->stage, tensor->dtype,         tensor->format,
                          tensor->rank,  tensor->mirrored != 0, tensor->axis};
  put(probe, head, sizeof head);
  put_u16(probe, (uint16_t)tensor->position);
  put_u16(probe, tensor->rotation);
  put_u16(probe, tensor->scale_count);
  put_u16(probe, zero_points);
  put(probe, tensor->shape, (size_t)tensor->rank * 4u);
  put(probe, tensor->scale, (size_t)tensor->scale_count * 4u);
  put(probe, tensor->zero_point, (size_t)zero_points * 4u);
  put_name(probe, tensor->name);
  put_name(probe, tensor->layer_type);
  channel->check = ~probe->message_crc;
  return end_message(probe);
}

/* Returns the number of the tensor's channel; a new channel is described first. Returns -1, with
 * the reason in `status`, on failure. */
static int channel_of(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* tensor, int* status) {
  uint16_t number = 0;
  while (number < probe->channel_count && probe->options.channels[number].tensor != tensor)
    ++number;
  *status = EDGEPROBE_MCU_OK;
  if (number < probe->channel_count) return number;
  *status = EDGEPROBE_MCU_LIMIT;
  if (number == probe->options.channel_capacity) {
    ++probe->frame_messages; /* The frame then counts as incomplete. */
    return -1;
  }
  probe->options.channels[number].tensor = tensor;
  *status = send_channel(probe, number);
  if (*status != EDGEPROBE_MCU_OK) {
    probe->is_dropping = 1;
    return -1;
  }
  ++probe->channel_count;
  return number;
}

/* --- frames
 * ----------------------------------------------------------------------------------------------------
 */

static int frame_status(const edgeprobe_mcu* probe) {
  if (!probe || !probe->is_open) return EDGEPROBE_MCU_OFF;
  if (!probe->in_frame) return EDGEPROBE_MCU_USAGE;
  return probe->is_dropping ? EDGEPROBE_MCU_LIMIT : EDGEPROBE_MCU_OK;
}

static int end_frame_message(edgeprobe_mcu* probe) {
  const int status = end_message(probe);
  if (status == EDGEPROBE_MCU_OK) ++probe->frame_messages;
  else probe->is_dropping = 1;
  return status;
}

static void drop_frame(edgeprobe_mcu* probe) {
  ++probe->dropped_frames;
  ++probe->frame;
  probe->in_frame = 0;
}

static uint64_t time_of(const edgeprobe_mcu* probe) {
  return probe->options.now ? probe->options.now(probe->options.context) : 0;
}

int edgeprobe_mcu_open(edgeprobe_mcu* probe, const edgeprobe_mcu_options* options) {
  if (!probe) return EDGEPROBE_MCU_USAGE;
  probe->is_open = 0;
  if (!options || !options->write || !options->channels || options->channel_capacity == 0)
    return EDGEPROBE_MCU_USAGE;
  /* Field by field: compilers copy a whole struct with memcpy. */
  probe->options.write = options->write;
  probe->options.now = options->now;
  probe->options.context = options->context;
  probe->options.channels = options->channels;
  probe->options.channel_capacity = options->channel_capacity;
  probe->options.repeat_frames = options->repeat_frames ? options->repeat_frames : kRepeatFrames;
  probe->options.facts = options->facts;
  probe->options.fact_count = options->facts ? options->fact_count : 0;
  probe->options.run = options->run;
  probe->packet_number = 0;
  probe->frame = 0;
  probe->dropped_frames = 0;
  probe->channel_count = 0;
  probe->in_frame = 0;
  probe->is_dropping = 0;
  probe->is_open = 1;
  const int status = send_hello(probe);
  probe->until_repeat = status == EDGEPROBE_MCU_OK ? probe->options.repeat_frames : 0;
  return status;
}

int edgeprobe_mcu_close(edgeprobe_mcu* probe) {
  if (!probe || !probe->is_open) return EDGEPROBE_MCU_OFF;
  if (probe->in_frame) drop_frame(probe);
  begin_message(probe, kGoodbye);
  put_u32(probe, probe->frame);
  put_u32(probe, probe->dropped_frames);
  probe->is_open = 0;
  return end_message(probe);
}

uint32_t edgeprobe_mcu_dropped_frames(const edgeprobe_mcu* probe) {
  return probe ? probe->dropped_frames : 0;
}

int edgeprobe_mcu_frame_begin(edgeprobe_mcu* probe) {
  if (!probe || !probe->is_open) return EDGEPROBE_MCU_OFF;
  if (probe->in_frame) drop_frame(probe);
  if (probe->until_repeat == 0) {
    int status = send_hello(probe);
    for (uint16_t i = 0; status == EDGEPROBE_MCU_OK && i < probe->channel_count; ++i)
      status = send_channel(probe, i);
    if (status == EDGEPROBE_MCU_OK) probe->until_repeat = probe->options.repeat_frames;
  }
  if (probe->until_repeat) --probe->until_repeat;
  probe->in_frame = 1;
  probe->is_dropping = 0;
  probe->known = 0;
  probe->sample = NULL;
  probe->frame_messages = 0;
  begin_message(probe, kFrame);
  put_u32(probe, probe->frame);
  put_u64(probe, time_of(probe));
  put_u32(probe, probe->dropped_frames);
  const int status = end_message(probe);
  if (status != EDGEPROBE_MCU_OK) probe->is_dropping = 1;
  return status;
}

int edgeprobe_mcu_frame_end(edgeprobe_mcu* probe) {
  int status = frame_status(probe);
  if (status == EDGEPROBE_MCU_OK) {
    begin_message(probe, kFrameEnd);
    put_u32(probe, probe->frame);
    put_u32(probe, probe->frame_messages);
    put_u8(probe, (uint8_t)(probe->known & (kHasLabel | kHasLatency | kBeginsSequence)));
    put_u32(probe, (uint32_t)probe->label);
    put_u64(probe, probe->latency);
    put_text(probe, probe->sample);
    status = end_message(probe);
  }
  if (status == EDGEPROBE_MCU_LIMIT) {
    drop_frame(probe);
  } else if (status == EDGEPROBE_MCU_OK) {
    ++probe->frame;
    probe->in_frame = 0;
  }
  return status;
}

int edgeprobe_mcu_frame_sample(edgeprobe_mcu* probe, const char* name) {
  const int status = frame_status(probe);
  if (status == EDGEPROBE_MCU_OK) probe->sample = name;
  return status;
}

int edgeprobe_mcu_frame_label(edgeprobe_mcu* probe, int32_t label) {
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  probe->label = label;
  probe->known |= kHasLabel;
  return status;
}

int edgeprobe_mcu_frame_sequence_start(edgeprobe_mcu* probe) {
  const int status = frame_status(probe);
  if (status == EDGEPROBE_MCU_OK) probe->known |= kBeginsSequence;
  return status;
}

int edgeprobe_mcu_start(edgeprobe_mcu* probe) {
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  probe->known |= kIsTimed;
  probe->started = time_of(probe);
  return status;
}

int edgeprobe_mcu_stop(edgeprobe_mcu* probe) {
  const uint64_t stopped =
      probe && probe->is_open
          ? time_of(probe)
          : 0; /* Read the clock first: the rest of this function is not part of the inference. */
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  if (!(probe->known & kIsTimed)) return EDGEPROBE_MCU_USAGE;
  if (!probe->options.now) return status;
  probe->latency = stopped - probe->started;
  probe->known |= kHasLatency;
  return status;
}

/* --- tensors and variables
 * --------------------------------------------------------------------------------------- */

/* By EDGEPROBE_MCU_FLOAT32 and so on. Tables: a switch would call the compiler's library on a
 * Cortex-M0. */
static const uint8_t kDtypeBytes[] = {4, 2, 2, 8, 1, 1, 2, 2, 4, 4, 8, 8, 1};
/* By EDGEPROBE_MCU_VALUES and so on; 0: not a picture of pixels. */
static const uint8_t kPixelBytes[] = {0, 3, 3, 4, 4, 1, 0};

static size_t bytes_per_pixel(uint8_t format) {
  return format < sizeof kPixelBytes ? kPixelBytes[format] : 0;
}
static size_t size_of_dtype(uint8_t dtype) {
  return dtype < sizeof kDtypeBytes ? kDtypeBytes[dtype] : 0;
}

/* Bytes of the values; 0 if the description is wrong. The receiver computes the size again, with
 * more than 32 bits. */
static size_t size_of(const edgeprobe_mcu_tensor* tensor) {
  const size_t pixel = bytes_per_pixel(tensor->format);
  size_t size = tensor->format == EDGEPROBE_MCU_VALUES ? size_of_dtype(tensor->dtype) : pixel;
  if (tensor->rank > kMaxRank || (tensor->rank && !tensor->shape) ||
      (tensor->scale_count && !tensor->scale))
    return 0;
  if (pixel && (tensor->rank != 2 || tensor->dtype != EDGEPROBE_MCU_UINT8)) return 0;
  for (uint8_t i = 0; i < tensor->rank; ++i) {
    if (tensor->shape[i] <= 0) return 0;
    size *= (size_t)tensor->shape[i];
  }
  return size;
}

/* Opens the message; the values follow. */
static int begin_tensor(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* tensor) {
  int status;
  const int number = channel_of(probe, tensor, &status);
  if (number < 0) return status;
  begin_message(probe, kTensor);
  put_u32(probe, probe->frame);
  put_u16(probe, (uint16_t)number);
  put_u32(probe, probe->options.channels[number].check);
  return EDGEPROBE_MCU_OK;
}

int edgeprobe_mcu_log_tensor(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* tensor,
                             const void* data, size_t size) {
  int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  if (!tensor || (!data && size)) return EDGEPROBE_MCU_USAGE;
  if (tensor->format == EDGEPROBE_MCU_ENCODED
          ? tensor->rank != 0 || tensor->dtype != EDGEPROBE_MCU_UINT8 || size == 0
          : size == 0 || size != size_of(tensor))
    return EDGEPROBE_MCU_USAGE;
  status = begin_tensor(probe, tensor);
  if (status != EDGEPROBE_MCU_OK) return status;
  put(probe, data, size);
  return end_frame_message(probe);
}

int edgeprobe_mcu_log_image(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* image,
                            const void* data, size_t stride) {
  int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  if (!image || !data || bytes_per_pixel(image->format) == 0 || size_of(image) == 0)
    return EDGEPROBE_MCU_USAGE;
  const size_t row = (size_t)image->shape[1] * bytes_per_pixel(image->format);
  if (stride == 0) stride = row;
  if (stride < row) return EDGEPROBE_MCU_USAGE;
  status = begin_tensor(probe, image);
  if (status != EDGEPROBE_MCU_OK) return status;
  const uint8_t* from = (const uint8_t*)data;
  for (int32_t y = 0; y < image->shape[0]; ++y, from += stride) put(probe, from, row);
  return end_frame_message(probe);
}

static int log_scalar(edgeprobe_mcu* probe, const char* name, uint8_t dtype, uint32_t bits) {
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  begin_message(probe, kScalar);
  put_u32(probe, probe->frame);
  put_u8(probe, dtype);
  put_u32(probe, bits);
  put_text(probe, name);
  return end_frame_message(probe);
}

int edgeprobe_mcu_log_float(edgeprobe_mcu* probe, const char* name, float value) {
  const union {
    float value;
    uint32_t bits;
  } as = {value};
  return log_scalar(probe, name, EDGEPROBE_MCU_FLOAT32, as.bits);
}

int edgeprobe_mcu_log_int(edgeprobe_mcu* probe, const char* name, int32_t value) {
  return log_scalar(probe, name, EDGEPROBE_MCU_INT32, (uint32_t)value);
}

int edgeprobe_mcu_log_text(edgeprobe_mcu* probe, const char* name, const char* text) {
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  begin_message(probe, kText);
  put_u32(probe, probe->frame);
  put_name(probe, name);
  put_text(probe, text);
  return end_frame_message(probe);
}

/* --- answers: the layout of docs/reference/trace-format.md
 * ------------------------------------------------------- */

#ifndef EDGEPROBE_MCU_NO_ANSWERS

enum { kLayout = 1, kTexts = 255 };
enum { kLabels = 1, kClasses, kScores, kBoxes, kMask, kPoints, kVector, kScore, kAlarm, kSequence };

/* EDGEPROBE_MCU_ANSWER_LABELS is bit 0, and part 1. */
static int is_given(const edgeprobe_mcu_answer* answer, uint8_t kind) {
  return answer->parts >> (kind - 1u) & 1;
}

static void put_part(edgeprobe_mcu* probe, uint8_t kind, uint8_t dtype, uint8_t rank,
                     uint32_t first, uint32_t second, size_t size) {
  put_u8(probe, kind);
  put_u8(probe, dtype);
  put_u16(probe, rank);
  put_u32(probe, (uint32_t)size + 4u * rank);
  if (rank > 0) put_u32(probe, first);
  if (rank > 1) put_u32(probe, second);
}

/* The rank of a number is 0, and both dimensions are 1. */
static void put_array(edgeprobe_mcu* probe, const edgeprobe_mcu_answer* answer, uint8_t kind,
                      uint8_t dtype, uint8_t rank, uint32_t first, uint32_t second,
                      const void* values) {
  if (!is_given(answer, kind)) return;
  const size_t size = size_of_dtype(dtype) * first * second;
  put_part(probe, kind, dtype, rank, first, second, size);
  put(probe, values, size);
}

static size_t length_of(const char* text) {
  size_t size = 0;
  while (text[size] != 0) ++size;
  return size;
}

static void put_texts(edgeprobe_mcu* probe, uint8_t kind, const char* const* texts,
                      uint16_t count) {
  size_t size = 0;
  for (uint16_t i = 0; i < count; ++i) size += 4 + length_of(texts[i]);
  put_part(probe, kind, kTexts, 1, count, 1, size);
  for (uint16_t i = 0; i < count; ++i) {
    put_u32(probe, (uint32_t)length_of(texts[i]));
    put_text(probe, texts[i]);
  }
}

/* True if the pointer of a given part is NULL. */
static int lacks_values(const edgeprobe_mcu_answer* a) {
  const uint32_t pixels = (uint32_t)a->mask_height * a->mask_width;
  if (is_given(a, kLabels) && a->count && !a->labels) return 1;
  if (is_given(a, kLabels))
    for (uint16_t i = 0; i < a->count; ++i)
      if (!a->labels[i]) return 1;
  return (is_given(a, kClasses) && a->count && !a->classes) ||
         (is_given(a, kScores) && a->count && !a->scores) ||
         (is_given(a, kBoxes) && a->count && !a->boxes) ||
         (is_given(a, kMask) && pixels && !a->mask) ||
         (is_given(a, kPoints) && a->point_count && !a->points) ||
         (is_given(a, kVector) && a->vector_count && !a->vector) ||
         (is_given(a, kSequence) && !a->text);
}

int edgeprobe_mcu_log_answer(edgeprobe_mcu* probe, const edgeprobe_mcu_answer* answer) {
  const int status = frame_status(probe);
  if (status != EDGEPROBE_MCU_OK) return status;
  if (!answer || answer->parts == 0 || answer->parts >= 2 * EDGEPROBE_MCU_ANSWER_TEXT ||
      lacks_values(answer))
    return EDGEPROBE_MCU_USAGE;
  const edgeprobe_mcu_answer* const a = answer;
  const uint8_t alarm = a->alarm != 0;
  begin_message(probe, kAnswer);
  put_u32(probe, probe->frame);
  put_name(probe, a->name ? a->name : "answer");
  put_u8(probe, kLayout);
  if (is_given(a, kLabels)) put_texts(probe, kLabels, a->labels, a->count);
  put_array(probe, a, kClasses, EDGEPROBE_MCU_INT32, 1, a->count, 1, a->classes);
  put_array(probe, a, kScores, EDGEPROBE_MCU_FLOAT32, 1, a->count, 1, a->scores);
  put_array(probe, a, kBoxes, EDGEPROBE_MCU_FLOAT32, 2, a->count, 4, a->boxes);
  put_array(probe, a, kMask, EDGEPROBE_MCU_UINT8, 2, a->mask_height, a->mask_width, a->mask);
  put_array(probe, a, kPoints, EDGEPROBE_MCU_FLOAT32, 2, a->point_count, 3, a->points);
  put_array(probe, a, kVector, EDGEPROBE_MCU_FLOAT32, 1, a->vector_count, 1, a->vector);
  put_array(probe, a, kScore, EDGEPROBE_MCU_FLOAT32, 0, 1, 1, &a->score);
  put_array(probe, a, kAlarm, EDGEPROBE_MCU_BOOL, 0, 1, 1, &alarm);
  if (is_given(a, kSequence)) put_texts(probe, kSequence, &a->text, 1);
  return end_frame_message(probe);
}

#endif

/* --- marks and sensors
 * -----------------------------------------------------------------------------------------------------
 */

int edgeprobe_mcu_mark(edgeprobe_mcu* probe, const char* name, const char* text) {
  if (!probe || !probe->is_open) return EDGEPROBE_MCU_OFF;
  begin_message(probe, kMark);
  put_u64(probe, time_of(probe));
  put_name(probe, name);
  put_text(probe, text);
  return end_message(probe);
}

int edgeprobe_mcu_sensor(edgeprobe_mcu* probe, const char* name, const float* values, uint8_t count,
                         const char* unit) {
  if (!probe || !probe->is_open) return EDGEPROBE_MCU_OFF;
  if (!values || count == 0 || count > kMaxSensorValues) return EDGEPROBE_MCU_USAGE;
  begin_message(probe, kSensor);
  put_u64(probe, time_of(probe));
  put_u8(probe, count);
  put(probe, values, (size_t)count * 4u);
  put_name(probe, name);
  put_text(probe, unit);
  return end_message(probe);
}
