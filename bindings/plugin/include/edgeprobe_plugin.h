// SPDX-License-Identifier: Apache-2.0
/* edgeprobe_plugin.h: an engine or a data set of your own as a shared library, in C11, C++11 or
 * anything else that exports a C function. It links nothing of edgeprobe.
 *
 *   cc -shared -fPIC -o libmy.so my.c
 *   edgeprobe run model.my --plugin ./libmy.so --data inputs.npz --trace t.mcap
 *
 * The library exports one symbol, edgeprobe_plugin() for an engine, which returns a table: what the
 * engine is called, its options as data, and its functions. For a data set it is
 * edgeprobe_plugin_data(), at the end of this file.
 *
 * Rules that hold for every function
 *  - Process: edgeprobe opens the library in a process of its own. A crash, exit() or a call
 *    that exceeds the user's --time-limit ends that process and is an error for the user.
 *    Text that the library prints, on either stream, is shown only in that error.
 *  - Failure: a function with a `message` succeeds if it returns 0 and leaves `message` as it
 *    is. Otherwise it writes one sentence there, UTF-8, at most EDGEPROBE_PLUGIN_MESSAGE
 *    bytes with the NUL, and returns one of the codes below. edgeprobe provides `message`,
 *    filled with NULs.
 *  - Exceptions: no C++ exception may leave a function; one that does ends the process. So
 *    catch std::exception, and write its what() to `message`.
 *  - Ownership: memory is freed by the side that allocated it. Text and arrays of the library
 *    stay valid and unchanged as long as stated; those of edgeprobe are valid until the call
 *    returns.
 *  - Threads: edgeprobe calls from one thread at a time, not always the same one. The library
 *    may start threads of its own; they must not use memory of edgeprobe after a call
 *    returns. It is never unloaded.
 *  - Structs: the first member is the struct's size in bytes; the side that fills the struct
 *    sets it. An array of structs has elements of that size. A later file of the same version
 *    may add members at the end. So each side reads the members that it knows and the other
 *    has filled; the rest counts as 0. edgeprobe passes a request and a model in
 *    EDGEPROBE_PLUGIN_ROOM bytes, with zeros after its own members: a library that knows more
 *    members reads 0 there. Shapes and values, which edgeprobe passes in arrays, never grow.
 *  - Tensors: row-major, outermost dimension first, without gaps, little-endian. Types have
 *    NumPy's names: float16, float32, float64, int8 to int64, uint8 to uint64, bool (one
 *    byte); also bfloat16.
 */
#ifndef EDGEPROBE_PLUGIN_H
#define EDGEPROBE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this file. Any change but new members at the end of a struct raises it. */
#define EDGEPROBE_PLUGIN_VERSION 1
/* Bytes of each `message`, with its NUL. */
#define EDGEPROBE_PLUGIN_MESSAGE 1024
/* Bytes of memory in which edgeprobe passes a request and a model. */
#define EDGEPROBE_PLUGIN_ROOM 1024

/* Results of a function that fails. Any other value but 0 means the first. */
#define EDGEPROBE_PLUGIN_FAILED (-1)      /* The engine or its device failed. */
#define EDGEPROBE_PLUGIN_USAGE (-2)       /* The user asked for something wrong: exit code 2. */
#define EDGEPROBE_PLUGIN_NOT_FOUND (-3)   /* A file is missing. */
#define EDGEPROBE_PLUGIN_CORRUPT (-4)     /* The file is not what it claims to be. */
#define EDGEPROBE_PLUGIN_UNSUPPORTED (-5) /* Valid, but beyond this engine. */
#define EDGEPROBE_PLUGIN_LIMIT (-6)       /* It would need too much time or memory. */

/* Of edgeprobe_plugin_option.type: how the user's text is checked before the library gets it. */
#define EDGEPROBE_PLUGIN_BOOL 1  /* true, 1, yes, on or the opposite; arrives as true or false. */
#define EDGEPROBE_PLUGIN_INT 2   /* A whole number that fits int64_t: strtoll(text, NULL, 10). */
#define EDGEPROBE_PLUGIN_FLOAT 3 /* A finite number in C's notation: strtod(text, NULL). */
#define EDGEPROBE_PLUGIN_TEXT 4  /* Any bytes without NUL and &. */

/* An option of the engine, given as `--engine 'NAME?OPTION=VALUE&OPTION=VALUE'`. */
typedef struct edgeprobe_plugin_option {
  uint32_t struct_size;
  uint32_t type;             /* EDGEPROBE_PLUGIN_BOOL to EDGEPROBE_PLUGIN_TEXT. */
  const char* name;          /* Not empty, without = and &. */
  const char* default_value; /* Text of the type; NULL: the user must give the option. */
  const char* least; /* Of a number: the smallest value that is allowed, as text; NULL: any. */
  const char* most;  /* The largest. */
  const char* help;  /* One line, or NULL. */
} edgeprobe_plugin_option;

/* As `rank` of an output: each run decides the number of dimensions. `shape` is NULL. */
#define EDGEPROBE_PLUGIN_ANY_RANK ((size_t)-1)

/* Describes an input, an output, or a layer: a result inside the model. */
typedef struct edgeprobe_plugin_tensor {
  uint32_t struct_size;
  /* The dimension that `scale` belongs to, from 0; ignored unless there are several scales. */
  int32_t axis;
  const char* name;  /* Unique among inputs, and among layers. */
  const char* dtype; /* "float32". */
  /* `rank` dimensions; NULL for rank 0. -1, not for inputs: each run decides. */
  const int64_t* shape;
  size_t rank;
  /* Quantised values: real = scale * (stored - zero_point). Of `scale_count` elements each: 0: not
   * quantised, 1: the whole tensor, else one per index along `axis`. */
  const float* scale;
  const int64_t* zero_point; /* NULL: all are 0. */
  size_t scale_count;
  const char* layer_type; /* Of a layer: the framework's name of its operator, "Conv2D"; or NULL. */
} edgeprobe_plugin_tensor;

/* A shape that the user asks an input to have: --input-shape. */
typedef struct edgeprobe_plugin_shape {
  uint32_t struct_size;
  const char* input; /* Name of the input; "": the only one. */
  const int64_t* shape;
  size_t rank;
} edgeprobe_plugin_shape;

/* A model to load, and how. */
typedef struct edgeprobe_plugin_request {
  uint32_t struct_size;
  int32_t threads; /* From 1; 1 unless the engine has EDGEPROBE_PLUGIN_THREADS. */
  /* 1: compute float32 parts of the model in float32. 0, only with EDGEPROBE_PLUGIN_PRECISION: as
   * the engine likes. */
  int32_t float32;
  int32_t capturing; /* 1: layer() will be called after runs. */
  /* A file that holds these bytes: the user's own, with the files next to it, or a copy that exists
   * until destroy(). NULL with EDGEPROBE_PLUGIN_BYTES. */
  const char* path;
  const void* bytes; /* The complete file, `size` bytes. */
  size_t size;
  /* The text of each option, in the order of edgeprobe_plugin_engine.options: the user's value or
   * the default, checked for its type and range. */
  const char* const* values;
  const edgeprobe_plugin_shape* shapes; /* Those that are not asked for keep the model's shapes. */
  size_t shape_count;
  int32_t profile;    /* 1: times() will be called after runs. */
  const char* name;   /* Of the model's file, without folders; for messages. */
  const char* folder; /* Where the user keeps that file; NULL: unknown, read no other files. */
} edgeprobe_plugin_request;

/* One step of a run: an operator, several that the engine fused, or one that it added. */
typedef struct edgeprobe_plugin_kernel {
  uint32_t struct_size;
  const char* name;      /* The engine's name for it; may be NULL. */
  const char* type;      /* The engine's term: "Convolution"; may be NULL. */
  const char* precision; /* In which it computes: "f32", "bf16", "i8"; NULL: unknown. */
  /* The layers that it computes: positions in edgeprobe_plugin_model.layers, or in a .tflite or
   * .onnx file the numbers of its operators, from 0. None if unknown. */
  const int32_t* layers;
  size_t layer_count;
} edgeprobe_plugin_kernel;

/* A loaded model. load() fills it, edgeprobe sets `struct_size`; the rest is zero before. All that
 * it points to is valid until destroy(). */
typedef struct edgeprobe_plugin_model {
  uint32_t struct_size;
  void* state; /* Passed to the other functions. */
  const edgeprobe_plugin_tensor* inputs;
  size_t input_count;
  const edgeprobe_plugin_tensor* outputs;
  size_t output_count;
  const edgeprobe_plugin_tensor* layers; /* In the order in which they run; may be none. */
  size_t layer_count;
  /* Sentences that become warnings, such as the precision that really ran. */
  const char* const* notes;
  size_t note_count;
  const edgeprobe_plugin_kernel* kernels; /* For times(), in the order in which they run. */
  size_t kernel_count;
  /* Whether run() depends on earlier runs: 1 yes, -1 no, 0 unknown. Unless it is -1, edgeprobe
   * loads the model again before each new sequence of samples. */
  int32_t stateful;
  int32_t reserved;
} edgeprobe_plugin_model;

/* The memory of an output or layer. */
typedef struct edgeprobe_plugin_value {
  uint32_t struct_size;
  /* Announced without -1: memory of edgeprobe of `size` bytes, aligned for any type, whose contents
   * are undefined; the library writes all of it and leaves this struct unchanged. May be NULL for
   * no bytes. Announced with -1 or any rank: NULL; the library sets all members, to memory of its
   * own that stays valid and unchanged until the next run() or destroy(). `rank` must be the
   * announced one, if one was announced. */
  void* data;
  size_t size; /* Bytes. */
  const int64_t* shape;
  size_t rank;
} edgeprobe_plugin_value;

/* Of edgeprobe_plugin_engine.flags. Without the first two, --threads above 1 and --precision engine
 * are refused. */
#define EDGEPROBE_PLUGIN_THREADS 1u
#define EDGEPROBE_PLUGIN_PRECISION 2u
#define EDGEPROBE_PLUGIN_BYTES 4u /* load() needs only the bytes, no `path`: saves a copy. */

/* The engine: constant, valid as long as the process. load(), run() and destroy() are required, the
 * other functions may be NULL. */
typedef struct edgeprobe_plugin_engine {
  uint32_t struct_size;
  uint32_t version; /* EDGEPROBE_PLUGIN_VERSION. */
  uint32_t flags;
  /* At most 40 small letters, digits, - and _; not the name of a built-in engine. */
  const char* name;
  const char* engine_version; /* "1.2", for traces and reports. */
  const char* help;           /* One line or more, or NULL. */
  const char* const* formats; /* Extensions of the files that it loads, ".my"; for the help. */
  size_t format_count;
  const edgeprobe_plugin_option* options;
  size_t option_count;

  /* Loads a model. Several may be loaded at the same time. After a failure, destroy() is not
   * called. */
  int (*load)(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model,
              char* message);
  /* One inference. `inputs` has the values of each input, which must not be changed, `outputs` one
   * element for each output. A state that the model keeps from run to run is the library's.
   * `nanoseconds` is -1: edgeprobe times the call; the library may set it to the time of the
   * computation only, without its own copies. */
  int (*run)(void* state, const void* const* inputs, edgeprobe_plugin_value* outputs,
             int64_t* nanoseconds, char* message);
  /* The value of layer `position` in the last run, as for an output. */
  int (*layer)(void* state, size_t position, edgeprobe_plugin_value* value, char* message);
  /* Frees a model. Not called if the process is killed. */
  void (*destroy)(void* state);

  /* Starts the engine, once, before the first load(): a failure means that it cannot be used here.
   * Not called for its help. */
  int (*open)(char* message);
  /* The time of each kernel in the last run: `kernel_count` elements to fill. */
  int (*times)(void* state, int64_t* nanoseconds, char* message);
  /* For many runs with the same memory, as that of run(), aligned to 64 bytes, where no output
   * overlaps anything: returns a state that computes directly in it. run() gets that state with
   * this memory, and destroy() gets it before it gets `state`. NULL: edgeprobe copies. Only for
   * models whose outputs are announced without -1. */
  void* (*bind)(void* state, const void* const* inputs, const edgeprobe_plugin_value* outputs);
} edgeprobe_plugin_engine;

/* The only symbol that edgeprobe looks for: returns the table for version EDGEPROBE_PLUGIN_VERSION,
 * or NULL for a version that the library does not have. */
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
    const edgeprobe_plugin_engine* edgeprobe_plugin(uint32_t version);

/* A data set, whose samples are the input of a run:
 *
 *   edgeprobe run model.tflite --plugin ./libmy.so --data './libmy.so:NAME?OPTION=VALUE' ...
 */

/* Of edgeprobe_plugin_sample.form. */
#define EDGEPROBE_PLUGIN_PICTURE \
  1                               /* One array, uint8 [height,width,3] (RGB) or [height,width,1]. */
#define EDGEPROBE_PLUGIN_FILE 2   /* One, uint8 [bytes]: a file, by the extension of the sample. */
#define EDGEPROBE_PLUGIN_ARRAYS 3 /* Inputs of the model, by their names. */

/* A sample. edgeprobe sets `struct_size`; it passes EDGEPROBE_PLUGIN_ROOM bytes, as for a model. */
typedef struct edgeprobe_plugin_sample {
  uint32_t struct_size;
  uint32_t form;
  const edgeprobe_plugin_tensor* arrays; /* Without -1. */
  const void* const* values;             /* The memory of each array. */
  size_t array_count;
} edgeprobe_plugin_sample;

/* The data set: constant, valid as long as the process. Only label() may be NULL. */
typedef struct edgeprobe_plugin_dataset {
  uint32_t struct_size;
  uint32_t version; /* EDGEPROBE_PLUGIN_VERSION. */
  const char* name; /* As in --data LIB.so:NAME; without ?. */
  const char* dataset_version;
  const char* help; /* One line or more, or NULL. */
  const edgeprobe_plugin_option* options;
  size_t option_count;

  /* Begins, with the text of each option; sets `state`, which the other functions get, and the
   * number of samples, at least 1. */
  int (*open)(const char* const* values, void** state, size_t* count, char* message);
  /* The name of a sample: not empty, of this sample only, valid until close(). */
  const char* (*sample)(void* state, size_t position);
  /* Loads a sample, which is valid and unchanged until the next load() or close(). If it fails,
   * edgeprobe leaves out the sample and reports it. */
  int (*load)(void* state, size_t position, edgeprobe_plugin_sample* sample, char* message);
  /* The number of the sample's class, from 0; -1: unknown. */
  int32_t (*label)(void* state, size_t position);
  void (*close)(void* state);
} edgeprobe_plugin_dataset;

/* The symbol of a data set, as edgeprobe_plugin(). */
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
    const edgeprobe_plugin_dataset* edgeprobe_plugin_data(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
