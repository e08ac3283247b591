// SPDX-License-Identifier: Apache-2.0
/* Preloaded into a program, which then sets its own wall clock; with CLOCK_SHIM_PERIOD_MS the clock
   repeatedly jumps an hour ahead and back. The kernel's own waits are unchanged. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static atomic_llong offset_s, slept_s;

void clock_shim_set(long long seconds) { atomic_store(&offset_s, seconds); }
/* The device sleeps: CLOCK_MONOTONIC and the processor's counter stand still meanwhile. */
void clock_shim_sleep(long long seconds) { atomic_fetch_add(&slept_s, seconds); }

static int is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*next)(clockid_t, struct timespec*);
  if (!next) next = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int failed = next(clock, now);
  if (!failed && (is_wall(clock) || clock == CLOCK_BOOTTIME)) now->tv_sec += atomic_load(&slept_s);
  if (failed || !is_wall(clock)) return failed;
  now->tv_sec += atomic_load(&offset_s);
  const char* const period_ms = getenv("CLOCK_SHIM_PERIOD_MS");
  struct timespec passed;
  if (period_ms && next(CLOCK_MONOTONIC, &passed) == 0 &&
      (passed.tv_sec * 1000 + passed.tv_nsec / 1000000) / atol(period_ms) % 2)
    now->tv_sec += 3600;
  return 0;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  (void)zone;
  struct timespec fine;
  const int failed = clock_gettime(CLOCK_REALTIME, &fine);
  now->tv_sec = fine.tv_sec;
  now->tv_usec = fine.tv_nsec / 1000;
  return failed;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
