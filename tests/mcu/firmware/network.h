// SPDX-License-Identifier: Apache-2.0
/* A small int8 network in fixed point, like a generated inference function: convolution with
 * a scale for each filter, ReLU, 2x2 maximum, a dense layer. Weights come from a generator, so that
 * a test can make the same ones. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdint.h>

enum {
  kSide = 12,
  kFilters = 4,
  kConvSide = kSide - 2,
  kPoolSide = kConvSide / 2,
  kPooled = kPoolSide * kPoolSide * kFilters,
  kClasses = 10
};

typedef struct network {
  int8_t filters[kFilters][3][3];
  int32_t filter_bias[kFilters];
  int32_t filter_multiplier[kFilters];
  int8_t dense[kClasses][kPooled];
  int32_t dense_bias[kClasses];
} network;

typedef struct activations {
  int8_t input[kSide * kSide];
  int8_t convolved[kConvSide * kConvSide * kFilters];
  int8_t pooled[kPooled];
  int8_t scores[kClasses];
} activations;

uint32_t next_random(uint32_t* state);
void make_network(network* n);
void infer(const network* n, activations* a);

#endif
