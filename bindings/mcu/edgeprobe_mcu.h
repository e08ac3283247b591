// SPDX-License-Identifier: Apache-2.0
/* edgeprobe_mcu.h: records the inputs, outputs and answers of a model on a microcontroller.
 * Freestanding C11: no heap, no C library.
 *
 *   edgeprobe_mcu_open(&probe, &options);
 *   edgeprobe_mcu_frame_begin(&probe);
 *   edgeprobe_mcu_log_tensor(&probe, &input, data, sizeof data);     (as often as there are
 * tensors) edgeprobe_mcu_frame_end(&probe);
 *
 * `edgeprobe trace receive` turns the sent data into a trace (docs/guides/microcontroller.md).
 *
 * Rules that hold for every function - It returns at once; it waits only for your `write`. If
 * `write` refuses a packet, the whole frame is dropped.
 *  - It returns an edgeprobe_mcu_status, which may be ignored. Outside of a frame, tensors and
 * variables do nothing.
 *  - Use a probe in one context only, not in the main loop and an interrupt at the same time.
 *  - Texts are any bytes up to a NUL.
 */
#ifndef EDGEPROBE_MCU_H
#define EDGEPROBE_MCU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same numbers as edgeprobe_status. */
enum edgeprobe_mcu_status {
  EDGEPROBE_MCU_OK = 0,
  EDGEPROBE_MCU_USAGE =
      1, /* The call itself is wrong: a size that does not fit the shape, no frame is open. */
  EDGEPROBE_MCU_LIMIT = 5, /* `write` accepted less than a packet (the frame is dropped), or there
                              is no room for another channel. */
  EDGEPROBE_MCU_OFF = 7    /* Not opened, or closed. */
};

/* The same numbers as edgeprobe_dtype. */
enum edgeprobe_mcu_dtype {
  EDGEPROBE_MCU_FLOAT32 = 0,
  EDGEPROBE_MCU_FLOAT16 = 1,
  EDGEPROBE_MCU_BFLOAT16 = 2,
  EDGEPROBE_MCU_FLOAT64 = 3,
  EDGEPROBE_MCU_INT8 = 4,
  EDGEPROBE_MCU_UINT8 = 5,
  EDGEPROBE_MCU_INT16 = 6,
  EDGEPROBE_MCU_UINT16 = 7,
  EDGEPROBE_MCU_INT32 = 8,
  EDGEPROBE_MCU_UINT32 = 9,
  EDGEPROBE_MCU_INT64 = 10,
  EDGEPROBE_MCU_UINT64 = 11,
  EDGEPROBE_MCU_BOOL = 12
};

/* The same numbers as edgeprobe_stage. */
enum edgeprobe_mcu_stage {
  EDGEPROBE_MCU_INTERMEDIATE = 1, /* A named step of your own pre- or post-processing. */
  EDGEPROBE_MCU_MODEL_INPUT = 2,
  EDGEPROBE_MCU_LAYER = 3,
  EDGEPROBE_MCU_MODEL_OUTPUT = 4,
  EDGEPROBE_MCU_EMBEDDING = 5, /* A layer that is the model's embedding. */
  EDGEPROBE_MCU_VARIABLE = 6,
  EDGEPROBE_MCU_RAW_INPUT = 7 /* Input of the pre-processing. */
};

enum edgeprobe_mcu_format {
  EDGEPROBE_MCU_VALUES = 0, /* A tensor. */
  EDGEPROBE_MCU_RGB8 = 1,   /* Pictures: rank 2, shape height, width; dtype EDGEPROBE_MCU_UINT8. */
  EDGEPROBE_MCU_BGR8 = 2,
  EDGEPROBE_MCU_RGBA8 = 3,
  EDGEPROBE_MCU_BGRA8 = 4,
  EDGEPROBE_MCU_GRAY8 = 5,
  EDGEPROBE_MCU_ENCODED = 6 /* Whole JPEG, PNG or BMP files of any size; rank 0. */
};

/* Description of a tensor, without its values. Keep it in place while the probe is open: it is sent
 * again from time to time. Set unknown fields to zero, except `position`. */
typedef struct edgeprobe_mcu_tensor {
  const char* name;
  const char* layer_type;    /* "CONV_2D" */
  const int32_t* shape;      /* Outermost dimension first. */
  const float* scale;        /* Quantisation: real = scale * (stored - zero_point). */
  const int32_t* zero_point; /* One for each scale; NULL: all 0. */
  uint16_t scale_count;      /* 0: not quantised; 1; or one for each index along `axis`. */
  int16_t position; /* Index among the model's inputs or outputs, or of the layer; -1: unknown. */
  uint8_t stage;    /* edgeprobe_mcu_stage */
  uint8_t dtype;    /* edgeprobe_mcu_dtype */
  uint8_t format;   /* edgeprobe_mcu_format */
  uint8_t rank;     /* At most 8; 0 is a scalar. */
  uint8_t axis;
  uint8_t mirrored; /* For pictures: 1 for a mirror picture. */
  /* For pictures: clockwise degrees that turn the picture upright. Recorded, not applied. */
  uint16_t rotation;
} edgeprobe_mcu_tensor;

#ifndef EDGEPROBE_MCU_NO_ANSWERS
/* The same numbers as edgeprobe_answer_part. */
enum edgeprobe_mcu_answer_part {
  EDGEPROBE_MCU_ANSWER_LABELS = 1,
  EDGEPROBE_MCU_ANSWER_CLASSES = 2,
  EDGEPROBE_MCU_ANSWER_SCORES = 4,
  EDGEPROBE_MCU_ANSWER_BOXES = 8,
  EDGEPROBE_MCU_ANSWER_MASK = 16,
  EDGEPROBE_MCU_ANSWER_POINTS = 32,
  EDGEPROBE_MCU_ANSWER_VECTOR = 64,
  EDGEPROBE_MCU_ANSWER_SCORE = 128,
  EDGEPROBE_MCU_ANSWER_ALARM = 256,
  EDGEPROBE_MCU_ANSWER_TEXT = 512
};

/* The program's answer, made from the model's outputs. Set omitted parts to zero. */
typedef struct edgeprobe_mcu_answer {
  const char* name;          /* NULL: "answer". */
  const char* const* labels; /* UTF-8, `count` of them; so are the next three. */
  const int32_t* classes;    /* Numbers instead of labels, or in addition to them. */
  const float* scores;
  const float* boxes;  /* count x 4, in the program's own form. */
  const uint8_t* mask; /* mask_height x mask_width: a class for each pixel. */
  const float* points; /* point_count x 3: x, y, score. */
  const float* vector; /* An embedding. */
  const char* text;    /* The recognised text, in UTF-8. */
  float score;         /* The anomaly score. */
  uint16_t parts; /* The given parts: values of edgeprobe_mcu_answer_part, added up. A given list of
                     length 0 means "no box"; a list that is not given means nothing. */
  uint16_t count;
  uint16_t mask_height, mask_width;
  uint16_t point_count;
  uint16_t vector_count;
  uint8_t alarm; /* 0 or 1. */
} edgeprobe_mcu_answer;
#endif

/* A fact about the deployment: {"model", "net.tflite"}, {"engine", "tflite-micro"}. */
typedef struct edgeprobe_mcu_fact {
  const char* key;
  const char* value;
} edgeprobe_mcu_fact;

/* The probe's own record of a tensor; its members are private. */
typedef struct edgeprobe_mcu_channel {
  const edgeprobe_mcu_tensor* tensor;
  uint32_t check;
} edgeprobe_mcu_channel;

/* Sends up to `size` bytes and returns how many were accepted. Must not wait long. If it accepts
 * only a part of a packet, the frame is dropped. `size` is at most EDGEPROBE_MCU_PACKET. */
typedef size_t (*edgeprobe_mcu_write)(void* context, const uint8_t* bytes, size_t size);
/* Nanoseconds since the start. Never goes back. */
typedef uint64_t (*edgeprobe_mcu_now)(void* context);

#define EDGEPROBE_MCU_PACKET 240

typedef struct edgeprobe_mcu_options {
  edgeprobe_mcu_write write;
  edgeprobe_mcu_now now;           /* NULL: no times, no latencies. */
  void* context;                   /* Passed to both functions. */
  edgeprobe_mcu_channel* channels; /* Your array: one place for each different tensor. */
  uint16_t channel_capacity;
  uint16_t repeat_frames;          /* Send all descriptions again after this many frames; 0: 32. */
  const edgeprobe_mcu_fact* facts; /* Must stay valid, like descriptions. NULL: none. */
  uint16_t fact_count;
  uint32_t run; /* Any number that differs from start to start (a boot counter), or 0. */
} edgeprobe_mcu_options;

/* The state of a probe. It is the probe's only memory; its members are private. */
typedef struct edgeprobe_mcu {
  edgeprobe_mcu_options options;
  uint64_t started; /* When the inference began. */
  uint64_t latency;
  const char* sample;
  uint32_t packet_number;
  uint32_t message_crc; /* CRC-32 of the message's bytes so far. */
  uint32_t frame;       /* Number of the open frame, or of the next one. */
  uint32_t frame_messages;
  uint32_t dropped_frames;
  int32_t label;
  uint16_t channel_count;
  uint16_t until_repeat; /* Frames until all descriptions are sent again. */
  uint8_t is_open;
  uint8_t in_frame;
  uint8_t is_dropping; /* A message of the open frame was refused. */
  uint8_t refused;     /* A packet of the message was refused. */
  uint8_t known;       /* Bit 0 label, bit 1 latency, bit 2 a sequence begins, bit 3 started. */
  uint8_t length;      /* Bytes in `packet`. */
  uint8_t is_first;    /* The packet is the first one of its message. */
  uint8_t packet[EDGEPROBE_MCU_PACKET];
} edgeprobe_mcu;

/* Sends hello and the facts. Fails with EDGEPROBE_MCU_USAGE without `write`, or without room for
 * channels. */
int edgeprobe_mcu_open(edgeprobe_mcu* probe, const edgeprobe_mcu_options* options);
/* Sends the goodbye, after which the receiver finishes its trace. An open frame is dropped. */
int edgeprobe_mcu_close(edgeprobe_mcu* probe);
/* Returns the number of frames that were dropped because a part was refused. */
uint32_t edgeprobe_mcu_dropped_frames(const edgeprobe_mcu* probe);

/* A frame is one inference. If a frame is still open when the next one begins, it is dropped. */
int edgeprobe_mcu_frame_begin(edgeprobe_mcu* probe);
int edgeprobe_mcu_frame_end(edgeprobe_mcu* probe);
/* `name` must stay valid until the frame ends. */
int edgeprobe_mcu_frame_sample(edgeprobe_mcu* probe, const char* name);
int edgeprobe_mcu_frame_label(edgeprobe_mcu* probe, int32_t label); /* Index of the true class. */
/* The states that the program carries from frame to frame have their initial values in this frame.
 */
int edgeprobe_mcu_frame_sequence_start(edgeprobe_mcu* probe);
/* Call them around the inference: the time between the two calls becomes the frame's latency. */
int edgeprobe_mcu_start(edgeprobe_mcu* probe);
int edgeprobe_mcu_stop(edgeprobe_mcu* probe);

/* `size` is that of `data` in bytes: product(shape) times the size of dtype; any for
 * EDGEPROBE_MCU_ENCODED. EDGEPROBE_MCU_LIMIT when `channels` is full: the tensor then counts as
 * missing in its frame. */
int edgeprobe_mcu_log_tensor(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* tensor,
                             const void* data, size_t size);
/* A picture whose rows begin `stride` bytes apart; 0: the rows are contiguous. */
int edgeprobe_mcu_log_image(edgeprobe_mcu* probe, const edgeprobe_mcu_tensor* image,
                            const void* data, size_t stride);

/* Variables of this frame: they need no description. */
int edgeprobe_mcu_log_float(edgeprobe_mcu* probe, const char* name, float value);
int edgeprobe_mcu_log_int(edgeprobe_mcu* probe, const char* name, int32_t value);
int edgeprobe_mcu_log_text(edgeprobe_mcu* probe, const char* name, const char* text);

#ifndef EDGEPROBE_MCU_NO_ANSWERS
/* Needs no description. EDGEPROBE_MCU_USAGE: no part is given, or the pointer of one is NULL. */
int edgeprobe_mcu_log_answer(edgeprobe_mcu* probe, const edgeprobe_mcu_answer* answer);
#endif

/* An event, such as "camera restarted". `text` may be NULL. Marks and sensors do not belong to a
 * frame. */
int edgeprobe_mcu_mark(edgeprobe_mcu* probe, const char* name, const char* text);
/* Up to 32 values of a sensor at this moment: {"accelerometer", 3 values, "m/s^2"}. */
int edgeprobe_mcu_sensor(edgeprobe_mcu* probe, const char* name, const float* values, uint8_t count,
                         const char* unit);

#ifdef __cplusplus
}
#endif

#endif
