// SPDX-License-Identifier: Apache-2.0
/* edgeprobe/shorthand.h: arrays in one line of C11.
 *
 *   EDGEPROBE_LOG(frame, EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", scores, 1, 10);     the shape
 * follows the array
 *
 * The dtype is that of the array or pointer: float, double, int8_t to int64_t, uint8_t to uint64_t,
 * _Bool. C++ programs use edgeprobe.hpp. */
#ifndef EDGEPROBE_SHORTHAND_H
#define EDGEPROBE_SHORTHAND_H
#ifndef __cplusplus

#include <stdbool.h>

#include "edgeprobe/adapter.h"

/* clang-format off */
#define EDGEPROBE_DTYPE_OF(array)                                                        \
  _Generic(&(array)[0],                                                                  \
    float*: EDGEPROBE_FLOAT32,       const float*: EDGEPROBE_FLOAT32,                    \
    double*: EDGEPROBE_FLOAT64,      const double*: EDGEPROBE_FLOAT64,                   \
    int8_t*: EDGEPROBE_INT8,         const int8_t*: EDGEPROBE_INT8,                      \
    uint8_t*: EDGEPROBE_UINT8,       const uint8_t*: EDGEPROBE_UINT8,                    \
    int16_t*: EDGEPROBE_INT16,       const int16_t*: EDGEPROBE_INT16,                    \
    uint16_t*: EDGEPROBE_UINT16,     const uint16_t*: EDGEPROBE_UINT16,                  \
    int32_t*: EDGEPROBE_INT32,       const int32_t*: EDGEPROBE_INT32,                    \
    uint32_t*: EDGEPROBE_UINT32,     const uint32_t*: EDGEPROBE_UINT32,                  \
    int64_t*: EDGEPROBE_INT64,       const int64_t*: EDGEPROBE_INT64,                    \
    uint64_t*: EDGEPROBE_UINT64,     const uint64_t*: EDGEPROBE_UINT64,                  \
    bool*: EDGEPROBE_BOOL,           const bool*: EDGEPROBE_BOOL)
/* clang-format on */

/* frame, stage, name, array, dimensions...: outermost first, all of them. Evaluates its arguments
 * once. */
#define EDGEPROBE_LOG(frame, stage, name, array, ...)                               \
  edgeprobe_log_array((frame), (stage), (name), (array), EDGEPROBE_DTYPE_OF(array), \
                      (const int64_t[]){__VA_ARGS__},                               \
                      sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* A dense array of product(shape) values. */
static inline edgeprobe_status edgeprobe_log_array(edgeprobe_frame* frame, edgeprobe_stage stage,
                                                   const char* name, const void* values,
                                                   edgeprobe_dtype dtype, const int64_t* shape,
                                                   size_t rank) {
  edgeprobe_tensor tensor = {0};
  size_t i;
  tensor.struct_size = (uint32_t)sizeof tensor;
  tensor.stage = stage;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.rank = (uint32_t)rank;
  tensor.shape = shape;
  tensor.data = values;
  tensor.position = -1;
  tensor.size = edgeprobe_dtype_size((int)dtype);
  for (i = 0; i < rank; ++i) {
    /* The library refuses an impossible shape with a message. */
    const size_t length = (size_t)shape[i];
    tensor.size = shape[i] < 0 || (length > 0 && tensor.size > SIZE_MAX / length)
                      ? SIZE_MAX
                      : tensor.size * length;
  }
  return edgeprobe_log_tensor(frame, &tensor);
}

#endif
#endif
