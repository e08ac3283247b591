// SPDX-License-Identifier: Apache-2.0
/* The dtypes of TensorFlow Lite by their fixed numbers, because older headers lack the newer names.
 */
#ifndef EDGEPROBE_TFLITE_TYPES_H
#define EDGEPROBE_TFLITE_TYPES_H

#include "edgeprobe/adapter.h"

/* The edgeprobe_dtype of a TfLiteType. Returns -1 for an unsupported type, and its name in *reason.
 */
static inline int edgeprobe_tflite_dtype(int type, const char** reason) {
  switch (type) {
    case 1: return EDGEPROBE_FLOAT32;
    case 2: return EDGEPROBE_INT32;
    case 3: return EDGEPROBE_UINT8;
    case 4: return EDGEPROBE_INT64;
    case 6: return EDGEPROBE_BOOL;
    case 7: return EDGEPROBE_INT16;
    case 9: return EDGEPROBE_INT8;
    case 10: return EDGEPROBE_FLOAT16;
    case 11: return EDGEPROBE_FLOAT64;
    case 13: return EDGEPROBE_UINT64;
    case 16: return EDGEPROBE_UINT32;
    case 17: return EDGEPROBE_UINT16;
    case 19: return EDGEPROBE_BFLOAT16;
    case 5: *reason = "it contains strings"; return -1;
    case 8:
    case 12: *reason = "it contains complex numbers"; return -1;
    case 14: *reason = "it is a resource"; return -1;
    case 15: *reason = "it is a variant"; return -1;
    case 18: *reason = "it contains 4-bit integers"; return -1;
    default: *reason = "its type is not known to this version of edgeprobe"; return -1;
  }
}

#endif
