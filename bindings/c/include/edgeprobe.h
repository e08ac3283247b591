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

/* A caller that was compiled with another major number must not use the library. A higher minor
 * number only adds functions and members. */
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
  EDGEPROBE_UNSUPPORTED = 4, /* Valid, but not supported by this version. */
  EDGEPROBE_LIMIT = 5,       /* Memory, disk space, or a documented limit is exhausted. */
  EDGEPROBE_FAILED = 6,      /* The system refused; the message says what. */
  EDGEPROBE_OFF = 7 /* The probe could not be opened, was closed, or this is a forked child. */
} edgeprobe_status;

/* One sentence about the last failure in this thread; "" if there was none. Valid until this
 * thread's next call. */
EDGEPROBE_API const char* edgeprobe_last_error(void);
/* For adapters: sets what edgeprobe_last_error() says in this thread, and returns `status`. */
EDGEPROBE_API edgeprobe_status edgeprobe_fail(edgeprobe_status status, const char* what);

/* --- opening
 * -------------------------------------------------------------------------------------------------
 */

/* How much of a frame is recorded. Each level includes the ones before it. */
typedef enum edgeprobe_level {
  /* The record of each frame: sample, label, latency. Marks, spans and sensors. */
  EDGEPROBE_LEVEL_NONE = 0,
  /* Raw input, stages of pre-processing, inputs and outputs of the model, answers, variables. */
  EDGEPROBE_LEVEL_IO = 1,
  /* Also the layers that are logged as EDGEPROBE_STAGE_EMBEDDING. */
  EDGEPROBE_LEVEL_EMBEDDING = 2,
  /* Also all other layers. */
  EDGEPROBE_LEVEL_LAYERS = 3
} edgeprobe_level;

typedef enum edgeprobe_raw {
  /* The first `raw_frames` frames, and every frame that trips a trigger, up to `raw_bytes`. */
  EDGEPROBE_RAW_SAMPLE = 0,
  EDGEPROBE_RAW_NONE = 1,
  EDGEPROBE_RAW_ALL = 2
} edgeprobe_raw;

/* Which frames are recorded with their tensors; the others have only a frame record. */
typedef enum edgeprobe_sampling {
  /* Every `every`-th frame, the first one included. */
  EDGEPROBE_SAMPLE_EVERY = 0,
  /* Each frame with probability 1 / `every`, by a generator that starts from `seed`. */
  EDGEPROBE_SAMPLE_RANDOM = 1,
  /* Only frames that a trigger keeps. `every` is ignored. */
  EDGEPROBE_SAMPLE_TRIGGER = 2
} edgeprobe_sampling;

typedef struct edgeprobe_options {
  uint32_t struct_size;  /* Set by edgeprobe_options_init(). */
  edgeprobe_level level; /* EDGEPROBE_LEVEL_IO. */
  /* Tensors to log, as patterns with * and ? over "stage/name", separated by spaces. NULL: all. */
  const char* include;
  const char* exclude; /* Tensors not to log, as patterns of the same form. */

  edgeprobe_sampling sampling; /* EDGEPROBE_SAMPLE_EVERY. */
  uint32_t every;              /* 1. */
  uint64_t seed;               /* Default 0. The samples of sketches use this seed, too. */
  /* Number of unsampled frames that wait in memory: if the next frame trips a trigger, they are
   * recorded, too. Default 0. */
  uint32_t before;
  /* A frame that is less certain than this trips a trigger: the largest real value of one of its
   * model outputs is below the limit. 0: never. Only outputs with scores count: all values are in
   * 0..1, and not all are whole. Boxes in pixels, classes, counts and logits therefore do not
   * count. With a limit below 0 or above 1 every output counts. To decide by another value, call
   * edgeprobe_frame_trip(), with `before` at 1 or more. */
  double below_confidence;

  edgeprobe_raw raw;   /* EDGEPROBE_RAW_SAMPLE. */
  uint32_t raw_frames; /* 32. */
  uint64_t raw_bytes;  /* 64 MB; 0: no limit. */

  /* 1: layers become sketches (sums, histogram of 64 bins, a sample of 4096 values). 0. */
  int sketch;

  /* The budget. Before it is exceeded, the level is lowered from one frame to the next, and never
   * raised again; each change is recorded (/level). `time_share` and `bytes_per_second` are limits
   * on averages: for a while, up to the budget of ten seconds may be used in advance. 0, the
   * default of both, means no limit. */
  /* Share of the wall time that calls of this library may take (time_ns in the statistics): 0.01 is
   * one percent. */
  double time_share;
  /* Counts everything that is recorded, including sensors, marks, facts and frame records. */
  uint64_t bytes_per_second;
  /* Limit of the whole recording, including removed parts. When it is reached, nothing more is
   * written. Default 4,000,000,000, which means no limit if `newest_parts` bounds the files; 0: no
   * limit. */
  uint64_t total_bytes;

  /* Continue in the next file (name-000.mcap, name-001.mcap, ...) after this many bytes. 0: one
   * file. */
  uint64_t part_bytes;
  /* Keep this many files of this recording; files of earlier runs stay. 0: all. */
  uint32_t newest_parts;
  /* For a model patched by `edgeprobe instrument`: outputs from this number on are layers. 0: not
   * patched. */
  uint32_t own_outputs;
  /* A chunk is closed after at most this many milliseconds. A kill loses at most one chunk. Default
   * 1000. */
  uint32_t flush_ms;
  /* 1: if the disk is too slow, a call waits for it (batch programs, tests). 0, the default: the
   * frame is dropped. */
  int wait_when_full;

  /* Called in the caller's thread with every raw input before it is recorded: overwrite sensitive
   * content. `bytes` is a private copy. NULL: no call. It sees only raw inputs. Model inputs, steps
   * of pre-processing and layers also contain the picture: `exclude` them ("model_input*
   * intermediate* layer*") if they must not be stored. */
  void (*redact)(void* context, const char* name, void* bytes, size_t size);
  void* redact_context;
} edgeprobe_options;

/* Fills in the defaults above. `size` is the size with which the application was compiled; a later
 * library does not write beyond it. */
EDGEPROBE_API void edgeprobe_options_init_sized(edgeprobe_options* options, size_t size);
static inline void edgeprobe_options_init(edgeprobe_options* options) {
  edgeprobe_options_init_sized(options, sizeof *options);
}

typedef struct edgeprobe_probe edgeprobe_probe;
typedef struct edgeprobe_frame edgeprobe_frame;

/* Creates the trace `path` (mode 0600; an existing file or a symbolic link is refused). NULL
 * options: the defaults. On failure *probe is NULL, and one line on standard error gives the
 * reason, because an application may ignore the status. Starts one writer thread. */
EDGEPROBE_API edgeprobe_status edgeprobe_open(const char* path, const edgeprobe_options* options,
                                              edgeprobe_probe** probe);
/* The same without the line on standard error, for an application that checks the status. Since
 * ABI 1.4. */
EDGEPROBE_API edgeprobe_status edgeprobe_try_open(const char* path,
                                                  const edgeprobe_options* options,
                                                  edgeprobe_probe** probe);

typedef struct edgeprobe_statistics {
  uint32_t struct_size;     /* sizeof(edgeprobe_statistics), set by the caller. */
  edgeprobe_level level;    /* The current level; a budget may have lowered it. */
  uint64_t frames;          /* Frames that were begun. */
  uint64_t recorded_frames; /* Frames whose tensors were recorded, without a dropped one. */
  uint64_t dropped_frames;  /* Frames that lack something because the disk was too slow. */
  uint64_t tensors;         /* Tensors in the file or in the queue; dropped ones do not count. */
  uint64_t bytes;           /* Bytes of their values. */
  /* Time spent in calls of this library: the calls of a frame that record, its begin, end and trip
   * (begin, end and small tensors are sampled, one call in eight), marks, sensors and facts,
   * including `redact`. The time spent in a language's binding (Python, Java) is not included. */
  uint64_t time_ns;
} edgeprobe_statistics;
EDGEPROBE_API edgeprobe_status edgeprobe_statistics_now(edgeprobe_probe* probe,
                                                        edgeprobe_statistics* statistics);

/* Returns when everything logged before is in the file. Takes milliseconds, so do not call it for
 * every frame. */
EDGEPROBE_API edgeprobe_status edgeprobe_flush(edgeprobe_probe* probe);

/* Ends open frames, finishes the file and frees the probe with its frames. Waits for calls of other
 * threads, including the redaction, which must not call this function. `statistics` may be NULL. */
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
/* Writes the record of the frame. The handle is invalid afterwards, also after a failure. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_end(edgeprobe_frame* frame);
/* The number of the frame, from 0. */
EDGEPROBE_API uint32_t edgeprobe_frame_number(const edgeprobe_frame* frame);

EDGEPROBE_API edgeprobe_status edgeprobe_frame_sample(edgeprobe_frame* frame,
                                                      const char* name); /* "cat/0001.png" */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_label(edgeprobe_frame* frame,
                                                     int32_t label); /* Index of the true class. */
/* Ground truth of the frame that one class cannot express: `json` is the value of a `kind`
 * (docs/reference/trace-format.md), such as "[3,17]" for "class_set": any of these classes is
 * right. Unknown kinds are kept. Returns EDGEPROBE_USAGE if `json` is not JSON, and EDGEPROBE_LIMIT
 * if the kind has more than 64 or the value more than 12288 bytes; the frame is then unchanged. A
 * later call replaces an earlier one. Since ABI 1.1. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_annotation(edgeprobe_frame* frame, const char* kind,
                                                          const char* json);
/* A sequence begins with this frame: the states that the application carries from frame to frame
 * have their initial values. The first frame of a recording always begins a sequence. Since
 * ABI 1.2. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_sequence_start(edgeprobe_frame* frame);
/* Call them around the inference: the time between the two calls becomes the frame's latency. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_start(edgeprobe_frame* frame);
EDGEPROBE_API edgeprobe_status edgeprobe_frame_stop(edgeprobe_frame* frame);
/* Keeps the frame. `reason` is recorded as a mark. With `before`, `below_confidence` or
 * EDGEPROBE_SAMPLE_TRIGGER, and after the first call of this function, the parts of a frame that
 * sampling leaves out, and raw inputs beyond `raw_frames`, wait in memory for a trip. This costs a
 * copy of every raw input, so without these options the first call is too late for the values that
 * its frame has already logged, and the mark says so. */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_trip(edgeprobe_frame* frame, const char* reason);
/* 1 if a tensor of this stage would be recorded now; use it to avoid computing a tensor in vain. */
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
  EDGEPROBE_STAGE_EMBEDDING = 5, /* A layer that is also recorded at level `embedding`. */
  EDGEPROBE_STAGE_VARIABLE = 6,  /* A variable of the application. */
  EDGEPROBE_STAGE_RAW_INPUT = 7, /* Only for edgeprobe_frame_wants() and patterns: the calls for raw
                                    inputs below log them. */
  EDGEPROBE_STAGE_ANSWER = 8     /* The same; edgeprobe_log_answer() logs answers. */
} edgeprobe_stage;

#define EDGEPROBE_MAX_RANK 32

/* A dense tensor, row-major, outermost dimension first. Set unknown fields to zero, except
 * `position`. */
typedef struct edgeprobe_tensor {
  uint32_t struct_size; /* sizeof(edgeprobe_tensor). */
  edgeprobe_stage stage;
  const char* name; /* The name in the model or the application. */
  edgeprobe_dtype dtype;
  uint32_t rank; /* At most EDGEPROBE_MAX_RANK; 0 is a scalar. */
  const int64_t* shape;
  const void* data;
  size_t size; /* Bytes of `data`: product(shape) times the size of dtype. */
  /* Quantisation: real = scale * (stored - zero_point). One scale, or one for each index along
   * `axis`. */
  uint32_t scale_count; /* 0: not quantised. */
  const float* scale;
  const int64_t* zero_point; /* One for each scale; NULL: all 0. */
  int32_t axis;
  int32_t position; /* Index among the model's inputs or outputs, or of the layer; -1: unknown. */
  const char* layer_type; /* "CONV_2D"; NULL: unknown. */
} edgeprobe_tensor;

/* Records one tensor: copies `size` bytes and returns. A tensor that the level excludes is not
 * copied. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_tensor(edgeprobe_frame* frame,
                                                    const edgeprobe_tensor* tensor);

/* --- raw inputs of the pre-processing
 * ---------------------------------------------------------------------- */

typedef enum edgeprobe_pixels {
  EDGEPROBE_RGB8 = 0, /* Three bytes per pixel, rows `stride` bytes apart. */
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
  uint32_t stride;        /* Bytes from one row to the next; 0: rows are contiguous. */
  uint32_t chroma_stride; /* Bytes from one chroma row to the next, for YUV formats; 0: `stride` for
                             pairs, half of it for planes. */
  const void* data;
  size_t size; /* Bytes that may be read at `data`. */
  /* Clockwise degrees that turn the picture upright: 0, 90, 180, 270. Recorded, not applied. */
  int32_t rotation;
  int mirrored;   /* 1: a front camera's mirror picture. */
  int full_range; /* For YUV formats: 1 for luma 0..255, 0 for 16..235. */
  int bt709;      /* For YUV formats: 1 for BT.709, 0 for BT.601. */
} edgeprobe_image;
EDGEPROBE_API edgeprobe_status edgeprobe_log_image(edgeprobe_frame* frame,
                                                   const edgeprobe_image* image);

/* Sound: `channels` interleaved samples of EDGEPROBE_INT16 or EDGEPROBE_FLOAT32. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_audio(edgeprobe_frame* frame, const char* name,
                                                   edgeprobe_dtype dtype, const void* samples,
                                                   size_t samples_per_channel, uint32_t channels,
                                                   uint32_t samples_per_second);
/* Readings of a sensor as it delivered them, before any conversion: `steps` x `axes` numbers of any
 * type, step by step. `steps_per_second`: the rate that the sensor reports; 0: unknown.
 * Since ABI 1.3. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_readings(edgeprobe_frame* frame, const char* name,
                                                      edgeprobe_dtype dtype, const void* values,
                                                      size_t steps, uint32_t axes,
                                                      double steps_per_second);
/* A whole JPEG, PNG or BMP file, or any other bytes. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_encoded(edgeprobe_frame* frame, const char* name,
                                                     const void* bytes, size_t size);

/* A text before pre-processing, `size` bytes of UTF-8. Other bytes are refused with
 * EDGEPROBE_USAGE; log them with edgeprobe_log_encoded(). Since ABI 1.2. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_raw_text(edgeprobe_frame* frame, const char* name,
                                                      const char* text, size_t size);

/* --- the answer: the application's result, made from the model's outputs
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

/* Set omitted parts to zero. Numbers are recorded unchanged, including NaN and boxes with swapped
 * corners. */
typedef struct edgeprobe_answer {
  uint32_t struct_size; /* sizeof(edgeprobe_answer). */
  /* The given parts: values of edgeprobe_answer_part, added up. A given list of length 0 is an
   * answer ("no box"); an omitted list means nothing. */
  uint32_t parts;
  const char* name; /* NULL: "answer". Each of several answers in a frame needs its own name. */
  size_t count;     /* The common length of the given labels, classes, scores and boxes. */
  const char* const* labels; /* UTF-8, in the application's order. */
  const int64_t* classes;    /* Numbers instead of labels, or in addition to them. */
  const float* scores;
  const float* boxes;         /* count x 4, in the application's own form. */
  const void* mask;           /* mask_height x mask_width: a class for each pixel. */
  edgeprobe_dtype mask_dtype; /* EDGEPROBE_UINT8, EDGEPROBE_UINT16 or EDGEPROBE_INT32. */
  uint32_t mask_height, mask_width;
  size_t point_count;
  const float* points; /* point_count x 3: x, y, score; NaN for a point that is not shown. */
  size_t vector_count;
  const float* vector; /* An embedding. */
  float score;         /* The anomaly score. */
  int alarm;           /* 0 or 1. */
  const char* text;    /* The recognised or generated text, in UTF-8. */
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
/* `json` is stored unchanged and is not parsed. */
EDGEPROBE_API edgeprobe_status edgeprobe_log_json(edgeprobe_frame* frame, const char* name,
                                                  const char* json);

/* The duration of a named step of this frame. Spans may nest and overlap. `name` must stay valid
 * until the span ends. */
typedef struct edgeprobe_span {
  edgeprobe_frame* frame;
  const char* name;
  uint64_t start_ns;
} edgeprobe_span;
EDGEPROBE_API edgeprobe_span edgeprobe_span_begin(edgeprobe_frame* frame, const char* name);
EDGEPROBE_API edgeprobe_status edgeprobe_span_end(edgeprobe_span* span);

/* An event, such as "camera restarted". `text` may be NULL. It does not belong to a frame. */
EDGEPROBE_API edgeprobe_status edgeprobe_mark(edgeprobe_probe* probe, const char* name,
                                              const char* text);

/* An assertion of the application about itself: `edgeprobe contract check` judges it as "app.NAME".
 * `wrong` is the problem in a few words; NULL or "" if the assertion holds. Nothing is printed.
 * Since ABI 1.3.
 *
 *   edgeprobe_assert_that(probe, "labels", count == 1001 ? NULL : "the file has other lines"); */
/* For a check that runs once, for example at the start. Recorded as the mark "assertion.NAME",
 * whose text is "holds" or the problem. */
EDGEPROBE_API edgeprobe_status edgeprobe_assert_that(edgeprobe_probe* probe, const char* name,
                                                     const char* wrong);
/* For one frame. Recorded as its variable "assertion.NAME", 1 or 0, and on failure also as the text
 * "assertion.NAME.why". */
EDGEPROBE_API edgeprobe_status edgeprobe_frame_assert_that(edgeprobe_frame* frame, const char* name,
                                                           const char* wrong);

/* Values of a sensor at this moment: {"accelerometer", 3 values, "m/s^2"}. It does not belong to a
 * frame. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor(edgeprobe_probe* probe, const char* name,
                                                const double* values, size_t count,
                                                const char* unit);
/* Values that were measured `age_ns` nanoseconds ago: the current time of the sensor's clock minus
 * the time stamp. They are recorded with the time of the measurement and with the frame that is the
 * newest now. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor_ago(edgeprobe_probe* probe, const char* name,
                                                    const double* values, size_t count,
                                                    const char* unit, uint64_t age_ns);
/* A sensor without a value, with the reason: "absent", "not permitted". Never logged as 0. */
EDGEPROBE_API edgeprobe_status edgeprobe_sensor_absent(edgeprobe_probe* probe, const char* name,
                                                       const char* unit, const char* reason);

#ifdef __cplusplus
}
#endif
#endif
