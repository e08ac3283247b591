// SPDX-License-Identifier: Apache-2.0
#include "network.h"

/* Rounds to nearest, halves up; saturates. */
static int8_t requantize(int32_t sum, int32_t multiplier, int32_t zero_point) {
  int32_t value = (int32_t)(((int64_t)sum * multiplier + ((int64_t)1 << 35)) >> 36) + zero_point;
  if (value > 127) value = 127;
  if (value < -128) value = -128;
  return (int8_t)value;
}

uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

void make_network(network* n) {
  uint32_t state = 7;
  for (int f = 0; f < kFilters; ++f) {
    for (int i = 0; i < 9; ++i)
      n->filters[f][i / 3][i % 3] = (int8_t)(next_random(&state) % 255 - 127);
    n->filter_bias[f] = (int32_t)(next_random(&state) % 20001) - 10000;
    n->filter_multiplier[f] = 400000000 + f * 70000000;
  }
  for (int c = 0; c < kClasses; ++c) {
    for (int i = 0; i < kPooled; ++i) n->dense[c][i] = (int8_t)(next_random(&state) % 255 - 127);
    n->dense_bias[c] = (int32_t)(next_random(&state) % 40001) - 20000;
  }
}

void infer(const network* n, activations* a) {
  for (int y = 0; y < kConvSide; ++y)
    for (int x = 0; x < kConvSide; ++x)
      for (int f = 0; f < kFilters; ++f) {
        int32_t sum = n->filter_bias[f];
        for (int dy = 0; dy < 3; ++dy)
          for (int dx = 0; dx < 3; ++dx)
            sum += n->filters[f][dy][dx] * (a->input[(y + dy) * kSide + x + dx] + 1);
        const int8_t value = requantize(sum, n->filter_multiplier[f], -128);
        a->convolved[(y * kConvSide + x) * kFilters + f] = value;
      }
  for (int y = 0; y < kPoolSide; ++y)
    for (int x = 0; x < kPoolSide; ++x)
      for (int f = 0; f < kFilters; ++f) {
        int8_t most = -128;
        for (int d = 0; d < 4; ++d) {
          const int8_t value =
              a->convolved[((2 * y + d / 2) * kConvSide + 2 * x + d % 2) * kFilters + f];
          if (value > most) most = value;
        }
        a->pooled[(y * kPoolSide + x) * kFilters + f] = most;
      }
  for (int c = 0; c < kClasses; ++c) {
    int32_t sum = n->dense_bias[c];
    for (int i = 0; i < kPooled; ++i) sum += n->dense[c][i] * (a->pooled[i] + 128);
    a->scores[c] = requantize(sum, 20000000, 3);
  }
}
