// SPDX-License-Identifier: Apache-2.0
/* Shared by the adapters: checks an engine's description of a tensor before reading the tensor. C11
 * and C++. */
#ifndef EDGEPROBE_ADAPTER_H
#define EDGEPROBE_ADAPTER_H

#include <stdint.h>
#include <stdio.h>

#include "edgeprobe.h"

/* Bytes of one value; 0 if it is not an edgeprobe_dtype. */
static inline size_t edgeprobe_dtype_size(int dtype) {
  switch (dtype) {
    case EDGEPROBE_INT8:
    case EDGEPROBE_UINT8:
    case EDGEPROBE_BOOL: return 1;
    case EDGEPROBE_FLOAT16:
    case EDGEPROBE_BFLOAT16:
    case EDGEPROBE_INT16:
    case EDGEPROBE_UINT16: return 2;
    case EDGEPROBE_FLOAT32:
    case EDGEPROBE_INT32:
    case EDGEPROBE_UINT32: return 4;
    case EDGEPROBE_FLOAT64:
    case EDGEPROBE_INT64:
    case EDGEPROBE_UINT64: return 8;
    default: return 0;
  }
}

/* "model output 2 'scores': REASON", as the text of edgeprobe_last_error(). */
static inline edgeprobe_status edgeprobe_leave_out(edgeprobe_stage stage, int32_t position,
                                                   const char* name, const char* reason) {
  char text[256];
  snprintf(text, sizeof text, "model %s %d '%.120s' is not recorded: %s",
           stage == EDGEPROBE_STAGE_MODEL_INPUT ? "input" : "output", (int)position,
           name ? name : "", reason);
  return edgeprobe_fail(EDGEPROBE_UNSUPPORTED, text);
}

/* The first of two statuses that is a failure. Success and EDGEPROBE_OFF are not failures. */
static inline edgeprobe_status edgeprobe_first(edgeprobe_status first, edgeprobe_status second) {
  return first == EDGEPROBE_OK ? second : first;
}

#endif
