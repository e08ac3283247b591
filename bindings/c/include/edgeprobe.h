// SPDX-License-Identifier: Apache-2.0
/* edgeprobe.h: records the inputs, outputs and answers of a model inside your own application. C11.
 *
 *   edgeprobe_probe* probe; edgeprobe_frame* frame;
 *   edgeprobe_open("app.mcap", NULL, &probe);
 *   edgeprobe_frame_begin(probe, &frame);
 *   edgeprobe_log_tensor(frame, &tensor);        (as often as there are tensors)
 *   edgeprobe_frame_end(frame);
 *   edgeprobe_close(probe, NULL);
 *
 * The file is a trace (docs/reference/trace-format.md): `edgeprobe compare`, `diagnose` and any
 * MCAP library read it.
 *
 * Rules that hold for every function
 *  - A probe must never break the application. Every function accepts NULL for a probe or a frame:
 *    the call does nothing and returns EDGEPROBE_OFF, so an application may ignore that
 *    edgeprobe_open() failed.
 *  - No call throws, exits or sets a signal handler. A failure returns a code, and
 *    edgeprobe_last_error() has one sentence about it. Nothing is printed, except one line on
 *    standard error when edgeprobe_open() fails.
 *  - Any thread may call. Use one frame in one thread at a time; several frames may be open at
 *    once.
 *  - Names and texts are any bytes up to a NUL. Values are copied before a call returns.
 *  - No call waits for the disk except edgeprobe_open(), edgeprobe_flush(), edgeprobe_close() and,
 *    with `part_bytes`, the first call of a frame that begins a new part. A call takes the time to
 *    copy its bytes. Logged values wait in a queue of 768 KiB plus the largest frame so far. If the
 *    queue is full, a call gives the writer thread up to 2 ms; then the rest of the frame is
 *    dropped and counted, and no call waits again until half of the queue is empty.
 *  - The name of a tensor, variable or span is unique in a frame: a second one, of any shape, is
 *    recorded as "name#2" (or "name#3" if that name is taken).
 *  - In a child made by fork() a probe is off: calls return EDGEPROBE_OFF and do not touch the
 *    parent's file.
 */
#ifndef EDGEPROBE_H
#define EDGEPROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A caller built with another major number must not use the library; minor numbers only add. */
#define EDGEPROBE_ABI_MAJOR 1
#define EDGEPROBE_ABI_MINOR 4

#if defined(EDGEPROBE_BUILD_SHARED) && defined(__GNUC__)
#define EDGEPROBE_API __attribute__((visibility("default")))
#else
#define EDGEPROBE_API
#endif

/* The ABI of the library in use, as major * 1000 + minor, and its release, "1.0.0". */
EDGEPROBE_API int edgeprobe_abi_version(void);
EDGEPROBE_API const char* edgeprobe_version(void);

typedef enum edgeprobe_status {
  EDGEPROBE_OK = 0,
  EDGEPROBE_USAGE =
      1, /* The call itself is wrong: a size that does not fit the shape, a closed frame. */
  EDGEPROBE_NOT_FOUND = 2, /* A folder or file that does not exist. */
  EDGEPROBE_CORRUPT = 3,
  EDGEPROBE_UNSUPPORTED = 4, /* Valid, but this version cannot do it. */
  EDGEPROBE_LIMIT = 5,       /* Memory, disk, or a stated limit. */
  EDGEPROBE_FAILED = 6,      /* The system refused: the message says what. */
  EDGEPROBE_OFF = 7 /* No probe: it could not be opened, was closed, or this is a forked child. */
} edgeprobe_status;

/* One sentence about the last failure in this thread; "" when there was none. Valid until this
 * thread's next call. */
EDGEPROBE_API const char* edgeprobe_last_error(void);
/* For adapters: sets what edgeprobe_last_error() says in this thread, and returns `status`. */
EDGEPROBE_API edgeprobe_status edgeprobe_fail(edgeprobe_status status, const char* what);

/* --- opening
 * -------------------------------------------------------------------------------------------------
 */

/* How much of a frame is recorded. Each level holds what the ones before hold. */
typedef enum edgeprobe_level {
  /* The record of each frame: sample, label, latency. Marks, spans and sensors. */
  EDGEPROBE_LEVEL_NONE = 0,
  /* Raw input, stages of pre-processing, inputs and outputs of the model, answers, variables. */
  EDGEPROBE_LEVEL_IO = 1,
  /* And the layers that are logged as EDGEPROBE_STAGE_EMBEDDING. */
  EDGEPROBE_LEVEL_EMBEDDING = 2,
  /* And all layers. */
  EDGEPROBE_LEVEL_LAYERS = 3
} edgeprobe_level;

typedef enum edgeprobe_raw {
  /* The first `raw_frames` frames, and every frame that trips a trigger, up to `raw_bytes`. */
  EDGEPROBE_RAW_SAMPLE = 0,
  EDGEPROBE_RAW_NONE = 1,
  EDGEPROBE_RAW_ALL = 2
} edgeprobe_raw;

/* Which frames are recorded beyond their record. */
typedef enum edgeprobe_sampling {
  /* Every `every`-th frame, the first one included. */
  EDGEPROBE_SAMPLE_EVERY = 0,
  /* Each with probability 1 / `every`, by a generator that starts from `seed`. */
  EDGEPROBE_SAMPLE_RANDOM = 1,
  /* None: only those that a trigger keeps. `every` is ignored. */
  EDGEPROBE_SAMPLE_TRIGGER = 2
} edgeprobe_sampling;

typedef struct edgeprobe_options {
  uint32_t struct_size;  /* Set by edgeprobe_options_init(). */
  edgeprobe_level level; /* EDGEPROBE_LEVEL_IO. */
  /* Tensors to log, as patterns with * and ? over "stage/name", apart by spaces. NULL: all. */
  const char* include;
  const char* exclude; /* The same, not to be logged. */

  edgeprobe_sampling sampling; /* EDGEPROBE_SAMPLE_EVERY. */
  uint32_t every;              /* 1. */
  uint64_t seed;               /* 0: also of sketches. */
  /* Unsampled frames kept in memory until a trigger comes: the `before` ones before it are recorded
   * with it: 0. */
  uint32_t before;
  /* A frame that is less sure than this trips a trigger: one of its model outputs has no value, as
   * a real number, that is as large. 0: never. Outputs count whose values are scores: all in 0..1,
   * and not all whole. So boxes in pixels, classes, counts and logits hide nothing. With a limit
   * below 0 or over 1 every output counts. Who knows better which value tells calls
   * edgeprobe_frame_trip(), with `before` at 1 or more. */
  double below_confidence;

  edgeprobe_raw raw;   /* EDGEPROBE_RAW_SAMPLE. */
  uint32_t raw_frames; /* 32. */
  uint64_t raw_bytes;  /* 64 MB; 0: no limit. */

  /* 1: layers become sketches (sums, histogram of 64 bins, a sample of 4096 values). 0. */
  int sketch;

  /* The budget. Where it would be passed the level steps down, from one frame to the next and never
   * up again; each step is recorded (/level). Time and bytes are averages that may run ahead by
   * what ten seconds earn. 0: no limit, the default of both. */
  /* Of the wall time, spent inside calls of this library (time_ns in the statistics): 0.01 is one
   * percent. */
  double time_share;
  /* Of all that is recorded, sensors, marks, facts and records of frames included. */
  uint64_t bytes_per_second;
  /* Of the whole recording, parts that were removed included. Once passed, nothing more is written.
   * 4,000,000,000, which stands for no limit where `newest_parts` bounds what is kept; 0: no limit.
   */
  uint64_t total_bytes;

  /* Continue in the next file (name-000.mcap, name-001.mcap, ...) after this many bytes. 0: one
   * file. */
  uint64_t part_bytes;
  /* Keep this many files of this recording; files of earlier runs stay. 0: all. */
  uint32_t newest_parts;
  /* The model is patched by `edgeprobe instrument`: outputs from here on are layers. 0: it is not.
   */
  uint32_t own_outputs;
  /* A chunk is closed after so long at the latest: 1000. A kill loses at most that. */
  uint32_t flush_ms;
  /* 1: where the disk is too slow a call waits for it (batch programs, tests); 0: the frame is
   * dropped. 0. */
  int wait_when_full;

  /* Called with every raw input before it is recorded, in the caller's thread: overwrite what must
   * not be kept. `bytes` is a private copy. NULL: none. It sees only raw inputs: model inputs,
   * steps of pre-processing and layers hold the picture as well. `exclude` them ("model_input*
   * intermediate* layer*") where that must not be. */
  void (*redact)(void* context, const char* name, void* bytes, size_t size);
  void* redact_context;
} edgeprobe_options;

/* Fills in the defaults above. `size` is what the application was compiled with: a later library
 * writes no more. */
EDGEPROBE_API void edgeprobe_options_init_sized(edgeprobe_options* options, size_t size);
static inline void edgeprobe_options_init(edgeprobe_options* options) {
  edgeprobe_options_init_sized(options, sizeof *options);
}

typedef struct edgeprobe_probe edgeprobe_probe;
typedef struct edgeprobe_frame edgeprobe_frame;

/* Creates the trace `path` (mode 0600; an existing file or a symbolic link is refused). NULL
 * options: the defaults. On failure *probe is NULL, and one line on standard error says why, so
 * that an application that ignores the status does not record nothing unseen. One writer thread is
 * started. */
EDGEPROBE_API edgeprobe_status edgeprobe_open(const char* path, const edgeprobe_options* options,
                                              edgeprobe_probe** probe);
/* The same, and prints nothing: for an application that looks at the status. Since ABI 1.4. */
EDGEPROBE_API edgeprobe_status edgeprobe_try_open(const char* path,
                                                  const edgeprobe_options* options,
                                                  edgeprobe_probe** probe);

typedef struct edgeprobe_statistics {
  uint32_t struct_size;     /* sizeof(edgeprobe_statistics), set by the caller. */
  edgeprobe_level level;    /* Now; lower than asked for when a budget stepped it down. */
  uint64_t frames;          /* Begun. */
  uint64_t recorded_frames; /* Of which tensors were recorded, none of them dropped. */
  uint64_t dropped_frames;  /* Of which something was dropped, because the disk was too slow. */
  uint64_t tensors;         /* In the file or on their way; dropped ones are not counted. */
  uint64_t bytes;           /* Of their values. */
  /* Spent inside calls of this library: those of a frame that record, its begin, end and trip
   * (begin, end and small tensors by a sample of one in eight), marks, sensors and facts, `redact`
   * included. The time spent in a language's binding (Python, Java) is not included. */
  uint64_t time_ns;
} edgeprobe_statistics;
EDGEPROBE_API edgeprobe_status edgeprobe_statistics_now(edgeprobe_probe* probe,
                                                        edgeprobe_statistics* statistics);

/* Returns once all that was logged before is in the file. Takes milliseconds: not for every frame.
 */
EDGEPROBE_API edgeprobe_status edgeprobe_flush(edgeprobe_probe* probe);

/* Finishes the file and frees the probe with all its frames; those that were begun end here. Waits
 * for calls of other threads, the redaction included, which must not call this itself. `statistics`
 * may be NULL. */
EDGEPROBE_API edgeprobe_status edgeprobe_close(edgeprobe_probe* probe,
                                               edgeprobe_statistics* statistics);

/* A fact about the deployment: "model", "model_sha256", "engine", "engine_version", "kernels",
 * "threads", "recipe", ... (docs/reference/trace-format.md, edgeprobe.run). */
EDGEPROBE_API edgeprobe_status edgeprobe_describe(edgeprobe_probe* probe, const char* key,
                                                  const char* value);

/* --- a frame: one inference
 * ----------------------------------------------------------------------------------- */

EDGEPROBE_API edgeprobe_status edgeprobe_frame_begin(edgeprobe_probe* probe,
                                                     edgeprobe_frame** frame);
/* Writes the record of the frame and gives the handle back, whatever is returned. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_end(edgeprobe_frame* frame);
/* The number of the frame, from 0. */
EDGEPROBE_API uint32_t edgeprobe_frame_number(const edgeprobe_frame* frame);

EDGEPROBE_API edgeprobe_status edgeprobe_frame_sample(edgeprobe_frame* frame,
                                                      const char* name); /* "cat/0001.png" */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_label(edgeprobe_frame* frame,
                                                     int32_t label); /* Index of the true class. */
/* Ground truth of the frame that one class cannot express: `json` is the value of a `kind`
 * (docs/reference/trace-format.md), such as "[3,17]" for "class_set": any of these classes is
 * right. Unknown kinds are kept. EDGEPROBE_USAGE: not JSON; EDGEPROBE_LIMIT: a kind of over 64 or a
 * value of over 12288 bytes. Neither changes the frame. A later call replaces an earlier one. Since
 * ABI 1.1. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_annotation(edgeprobe_frame* frame, const char* kind,
                                                          const char* json);
/* A sequence begins with this frame: the states that the application carries from frame to frame
 * are at their start in it. The first frame of a recording begins one anyway. Since ABI 1.2. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_sequence_start(edgeprobe_frame* frame);
/* Around the inference: the time between the two becomes the frame's latency. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_start(edgeprobe_frame* frame);
EDGEPROBE_API edgeprobe_status edgeprobe_frame_stop(edgeprobe_frame* frame);
/* The application says that the frame is worth keeping. `reason` is recorded as a mark. The parts
 * of a frame that sampling leaves out, and raw inputs beyond `raw_frames`, wait in memory for a
 * trip if one may come: with `before`, `below_confidence` or EDGEPROBE_SAMPLE_TRIGGER, and after
 * the first call of this function. With none of them that first call comes too late for what its
 * frame has logged already, and the mark says so: waiting costs a copy of every raw input. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_trip(edgeprobe_frame* frame, const char* reason);
/* 1 when a tensor of this stage would be recorded now: an application may save itself the work of
 * making one. */
EDGEPROBE_API int edgeprobe_frame_wants(const edgeprobe_frame* frame, int stage);

/* --- tensors
 * ---------------------------------------------------------------------------------------------------
 */

typedef enum edgeprobe_dtype {
  EDGEPROBE_FLOAT32 = 0,
  EDGEPROBE_FLOAT16 = 1,
  EDGEPROBE_BFLOAT16 = 2,
  EDGEPROBE_FLOAT64 = 3,
  EDGEPROBE_INT8 = 4,
  EDGEPROBE_UINT8 = 5,
  EDGEPROBE_INT16 = 6,
  EDGEPROBE_UINT16 = 7,
  EDGEPROBE_INT32 = 8,
  EDGEPROBE_UINT32 = 9,
  EDGEPROBE_INT64 = 10,
  EDGEPROBE_UINT64 = 11,
  EDGEPROBE_BOOL = 12
} edgeprobe_dtype;

typedef enum edgeprobe_stage {
  EDGEPROBE_STAGE_INTERMEDIATE =
      1, /* A named step of the application's own pre- or post-processing. */
  EDGEPROBE_STAGE_MODEL_INPUT = 2,
  EDGEPROBE_STAGE_LAYER = 3,
  EDGEPROBE_STAGE_MODEL_OUTPUT = 4,
  EDGEPROBE_STAGE_EMBEDDING = 5, /* A layer that is recorded at level `embedding` too. */
  EDGEPROBE_STAGE_VARIABLE = 6,  /* A variable of the application. */
  EDGEPROBE_STAGE_RAW_INPUT =
      7, /* For edgeprobe_frame_wants() and patterns; logged by the calls below. */
  EDGEPROBE_STAGE_ANSWER = 8 /* The same; logged by edgeprobe_log_answer(). */
} edgeprobe_stage;

#define EDGEPROBE_MAX_RANK 32

/* A dense tensor, row-major, outermost dimension first. Zero is a good value for every field that
 * is not known, but for `position`. */
typedef struct edgeprobe_tensor {
  uint32_t struct_size; /* sizeof(edgeprobe_tensor). */
  edgeprobe_stage stage;
  const char* name; /* As the model or the application calls it. */
  edgeprobe_dtype dtype;
  uint32_t rank; /* At most EDGEPROBE_MAX_RANK; 0 is a scalar. */
  const int64_t* shape;
  const void* data;
  size_t size; /* Bytes of `data`: product(shape) times the size of dtype. */
  /* Quantisation: real = scale * (stored - zero_point). One scale, or one for each index along
   * `axis`. */
  uint32_t scale_count; /* 0: not quantised. */
  const float* scale;
  const int64_t* zero_point; /* As many as scales; NULL: 0. */
  int32_t axis;
  int32_t position; /* Index among the model's inputs or outputs, or of the layer; -1: unknown. */
  const char* layer_type; /* "CONV_2D"; NULL: unknown. */
} edgeprobe_tensor;

/* Records one tensor. Copies `size` bytes and returns; costs nothing more when the level leaves it
 * out. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_tensor(edgeprobe_frame* frame,
                                                    const edgeprobe_tensor* tensor);

/* --- raw inputs: what pre-processing gets
 * ---------------------------------------------------------------------- */

typedef enum edgeprobe_pixels {
  EDGEPROBE_RGB8 = 0, /* Three bytes a pixel, rows `stride` bytes apart. */
  EDGEPROBE_BGR8 = 1,
  EDGEPROBE_RGBA8 = 2,
  EDGEPROBE_BGRA8 = 3,
  EDGEPROBE_GRAY8 = 4,
  EDGEPROBE_NV12 = 5, /* Luma, then pairs U V: `data` is the whole buffer, no gap between planes. */
  EDGEPROBE_NV21 = 6, /* Luma, then pairs V U. */
  EDGEPROBE_I420 = 7, /* Luma, U, V. */
  EDGEPROBE_YV12 = 8  /* Luma, V, U. */
} edgeprobe_pixels;

typedef struct edgeprobe_image {
  uint32_t struct_size; /* sizeof(edgeprobe_image). */
  const char* name;     /* "camera" */
  edgeprobe_pixels format;
  uint32_t width, height;
  uint32_t stride;        /* Bytes from one row to the next; 0: rows follow each other. */
  uint32_t chroma_stride; /* Of YUV formats; 0: `stride` for pairs, half of it for planes. */
  const void* data;
  size_t size; /* Bytes that may be read at `data`. */
  /* Clockwise degrees that would set it upright: 0, 90, 180, 270. Told, not applied. */
  int32_t rotation;
  int mirrored;   /* 1: a front camera's mirror picture. */
  int full_range; /* Of YUV formats: 1 for 0..255. */
  int bt709;      /* Of YUV formats: 1 for BT.709, 0 for BT.601. */
} edgeprobe_image;
EDGEPROBE_API edgeprobe_status edgeprobe_log_image(edgeprobe_frame* frame,
                                                   const edgeprobe_image* image);

/* Sound: `channels` interleaved samples of EDGEPROBE_INT16 or EDGEPROBE_FLOAT32. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_audio(edgeprobe_frame* frame, const char* name,
                                                   edgeprobe_dtype dtype, const void* samples,
                                                   size_t samples_per_channel, uint32_t channels,
                                                   uint32_t samples_per_second);
/* Readings of a sensor as it delivered them, before any conversion: `steps` x `axes` numbers of any
 * type, step by step. `steps_per_second`: the rate that the sensor reports; 0: not known.
 * Since ABI 1.3. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_readings(edgeprobe_frame* frame, const char* name,
                                                      edgeprobe_dtype dtype, const void* values,
                                                      size_t steps, uint32_t axes,
                                                      double steps_per_second);
/* A whole JPEG, PNG or BMP file, or any other bytes. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_encoded(edgeprobe_frame* frame, const char* name,
                                                     const void* bytes, size_t size);

/* A text as pre-processing gets it, `size` bytes of UTF-8. EDGEPROBE_USAGE: they are not UTF-8; log
 * such bytes with edgeprobe_log_encoded(). Since ABI 1.2. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_raw_text(edgeprobe_frame* frame, const char* name,
                                                      const char* text, size_t size);

/* --- the answer: what the application makes of the model's outputs and hands on
 * ---------------------------------------------------------------------------------------------------
 */

typedef enum edgeprobe_answer_part {
  EDGEPROBE_ANSWER_LABELS = 1,
  EDGEPROBE_ANSWER_CLASSES = 2,
  EDGEPROBE_ANSWER_SCORES = 4,
  EDGEPROBE_ANSWER_BOXES = 8,
  EDGEPROBE_ANSWER_MASK = 16,
  EDGEPROBE_ANSWER_POINTS = 32,
  EDGEPROBE_ANSWER_VECTOR = 64,
  EDGEPROBE_ANSWER_SCORE = 128,
  EDGEPROBE_ANSWER_ALARM = 256,
  EDGEPROBE_ANSWER_TEXT = 512
} edgeprobe_answer_part;

/* Zero is a good value for what is not given. Numbers are recorded as they are, NaN and boxes whose
 * corners are exchanged as well. */
typedef struct edgeprobe_answer {
  uint32_t struct_size; /* sizeof(edgeprobe_answer). */
  /* The parts that are given: values of edgeprobe_answer_part, added up. A given list of length 0
   * is an answer, "no box"; a list that is not given is not an answer. */
  uint32_t parts;
  const char* name;          /* NULL: "answer". Several answers of a frame have several names. */
  size_t count;              /* Of labels, classes, scores and boxes, those that are given. */
  const char* const* labels; /* UTF-8, in the application's order. */
  const int64_t* classes;    /* Numbers instead of labels, or in addition to them. */
  const float* scores;
  const float* boxes;         /* count x 4: as the application has them. */
  const void* mask;           /* mask_height x mask_width: a class for each pixel. */
  edgeprobe_dtype mask_dtype; /* EDGEPROBE_UINT8, EDGEPROBE_UINT16 or EDGEPROBE_INT32. */
  uint32_t mask_height, mask_width;
  size_t point_count;
  const float* points; /* point_count x 3: x, y, score; NaN where one is not shown. */
  size_t vector_count;
  const float* vector; /* An embedding. */
  float score;         /* Of an anomaly. */
  int alarm;           /* 0 or 1. */
  const char* text;    /* UTF-8: what was heard, read or written. */
} edgeprobe_answer;
/* EDGEPROBE_USAGE: a pointer of a given part is NULL although its count is not 0, a text is not
 * UTF-8, or no part is given. Since ABI 1.2. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_answer(edgeprobe_frame* frame,
                                                    const edgeprobe_answer* answer);

/* --- variables, spans, marks, sensors
 * --------------------------------------------------------------------------- */

EDGEPROBE_API edgeprobe_status edgeprobe_log_scalar(edgeprobe_frame* frame, const char* name,
                                                    double value);
EDGEPROBE_API edgeprobe_status edgeprobe_log_vector(edgeprobe_frame* frame, const char* name,
                                                    const double* values, size_t count);
EDGEPROBE_API edgeprobe_status edgeprobe_log_text(edgeprobe_frame* frame, const char* name,
                                                  const char* text);
/* `json` is kept as it is; it is not parsed. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_json(edgeprobe_frame* frame, const char* name,
                                                  const char* json);

/* How long a named step of this frame took. Spans may nest and overlap; `name` must stay valid
 * until the end. */
typedef struct edgeprobe_span {
  edgeprobe_frame* frame;
  const char* name;
  uint64_t start_ns;
} edgeprobe_span;
EDGEPROBE_API edgeprobe_span edgeprobe_span_begin(edgeprobe_frame* frame, const char* name);
EDGEPROBE_API edgeprobe_status edgeprobe_span_end(edgeprobe_span* span);

/* A moment: "camera restarted". `text` may be NULL. Not part of a frame. */
EDGEPROBE_API edgeprobe_status edgeprobe_mark(edgeprobe_probe* probe, const char* name,
                                              const char* text);

/* An assertion of the application about itself: `edgeprobe contract check` judges it as "app.NAME".
 * `wrong`: what is wrong, in a few words; NULL or "" where the assertion holds. Nothing is printed.
 * Since ABI 1.3.
 *
 *   edgeprobe_assert_that(probe, "labels", count == 1001 ? NULL : "the file has other lines"); */
/* Checked once, as at the start. Recorded as the mark "assertion.NAME": "holds", or what is wrong.
 */
EDGEPROBE_API edgeprobe_status edgeprobe_assert_that(edgeprobe_probe* probe, const char* name,
                                                     const char* wrong);
/* Of one frame. Recorded as its variable "assertion.NAME", 1 or 0, and where it does not hold the
 * text "assertion.NAME.why". */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_assert_that(edgeprobe_frame* frame, const char* name,
                                                           const char* wrong);

/* Values of a sensor at this moment: {"accelerometer", 3 values, "m/s^2"}. Not part of a frame. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor(edgeprobe_probe* probe, const char* name,
                                                const double* values, size_t count,
                                                const char* unit);
/* Values that were measured `age_ns` nanoseconds ago: what the clock of the sensor's own time
 * stamps says now, less the stamp. They get that time, and the newest frame of now. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor_ago(edgeprobe_probe* probe, const char* name,
                                                    const double* values, size_t count,
                                                    const char* unit, uint64_t age_ns);
/* A sensor that gives no value, and why: "absent", "not permitted". Never logged as 0. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor_absent(edgeprobe_probe* probe, const char* name,
                                                       const char* unit, const char* reason);

#ifdef __cplusplus
}
#endif
#endif
