// SPDX-License-Identifier: Apache-2.0
/* A small application with a probe, whose wall clock jumps: clock_app TRACE frames=60 jump=20:3600
   jump=40:-7200 … Prints the times of its own clocks and the size of the file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "edgeprobe.h"

static long long now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long size_of(const char* path) {
  struct stat about;
  return stat(path, &about) == 0 ? (long long)about.st_size : -1;
}

static struct { long frame, seconds; } jumps[8];
static int jump_count = 0;

/* The offset of the wall clock in frame `frame`. */
static long long offset_at(long frame) {
  long long offset = 0;
  for (int k = 0; k < jump_count; ++k)
    if (jumps[k].frame <= frame) offset = jumps[k].seconds;
  return offset;
}

int main(int argc, char** argv) {
  long frames = 60, floats = 100, pause_us = 2000, wait_ms = 0, sleeps_at = -1, sleeps_s = 0;
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  for (int i = 2; i < argc; ++i) {
    char* const value = strchr(argv[i], '=') + 1;
    const long number = atol(value);
    if (!strncmp(argv[i], "frames", 6)) frames = number;
    if (!strncmp(argv[i], "floats", 6)) floats = number;
    if (!strncmp(argv[i], "pause_us", 8)) pause_us = number;
    if (!strncmp(argv[i], "wait_ms", 7)) wait_ms = number;
    if (!strncmp(argv[i], "flush_ms", 8)) options.flush_ms = (uint32_t)number;
    if (!strncmp(argv[i], "bytes_per_second", 16)) options.bytes_per_second = (uint64_t)number;
    if (!strncmp(argv[i], "time_share", 10)) options.time_share = atof(value);
    if (!strncmp(argv[i], "part_bytes", 10)) options.part_bytes = (uint64_t)number;
    if (!strncmp(argv[i], "sleep", 5)) {
      sleeps_at = number;
      sleeps_s = atol(strchr(value, ':') + 1);
    }
    if (!strncmp(argv[i], "jump", 4)) {
      jumps[jump_count].frame = number;
      jumps[jump_count++].seconds = atol(strchr(value, ':') + 1);
    }
  }
  void (*const set)(long long) = (void (*)(long long))dlsym(RTLD_DEFAULT, "clock_shim_set");
  void (*const sleep_for)(long long) = (void (*)(long long))dlsym(RTLD_DEFAULT, "clock_shim_sleep");
  if (!set || !sleep_for) return 3;
  const long long wall = now_ns(CLOCK_REALTIME), start = now_ns(CLOCK_MONOTONIC);
  edgeprobe_probe* probe = NULL;
  if (edgeprobe_open(argv[1], &options, &probe) != EDGEPROBE_OK) {
    fprintf(stderr, "%s\n", edgeprobe_last_error());
    return 1;
  }
  float* const values = calloc((size_t)floats, sizeof *values);
  const int64_t shape = floats;
  for (long i = 0; i < frames; ++i) {
    set(offset_at(i));
    if (i == sleeps_at) sleep_for(sleeps_s);
    edgeprobe_frame* frame = NULL;
    edgeprobe_frame_begin(probe, &frame);
    edgeprobe_span span = edgeprobe_span_begin(frame, "work");
    edgeprobe_frame_start(frame);
    usleep((useconds_t)pause_us);
    if (sleeps_at < 0 && i % 10 == 5)
      set(offset_at(i) + (i % 20 == 5 ? 86400 : -86400)); /* in the middle of an inference */
    usleep((useconds_t)pause_us);
    edgeprobe_frame_stop(frame);
    edgeprobe_span_end(&span);
    edgeprobe_tensor tensor = {.struct_size = sizeof tensor, .position = -1};
    tensor.stage = EDGEPROBE_STAGE_MODEL_INPUT;
    tensor.name = "in";
    tensor.dtype = EDGEPROBE_FLOAT32;
    tensor.rank = 1;
    tensor.shape = &shape;
    tensor.data = values;
    tensor.size = (size_t)floats * sizeof *values;
    edgeprobe_log_tensor(frame, &tensor);
    edgeprobe_frame_end(frame);
    const double lux = (double)i;
    edgeprobe_sensor(probe, "lux", &lux, 1, "lx");
  }
  const long long written = size_of(argv[1]);
  /* Waits until the file grows, or until the time limit. */
  for (long waited = 0; waited < wait_ms && size_of(argv[1]) == written; waited += 10)
    usleep(10000);
  printf("{\"wall\": %lld, \"took\": %lld, \"written\": %lld, \"later\": %lld, \"off_by\": %lld}\n",
         wall, now_ns(CLOCK_MONOTONIC) - start, written, size_of(argv[1]),
         (now_ns(CLOCK_REALTIME) - wall) / 1000000000LL);
  free(values);
  return edgeprobe_close(probe, NULL) == EDGEPROBE_OK ? 0 : 1;
}
