// SPDX-License-Identifier: Apache-2.0
/* Logs 70 inferences over UART 0 of an ARM MPS2 board. In frame 40 the line accepts no
 * bytes for a while. */
#include <stddef.h>
#include <stdint.h>

#include "edgeprobe_mcu.h"
#include "network.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define UART_DATA REGISTER(0x40004000)
#define UART_STATE REGISTER(0x40004004)
#define UART_CONTROL REGISTER(0x40004008)
#define UART_DIVIDER REGISTER(0x40004010)
#define TIMER_CONTROL REGISTER(0x40000000)
#define TIMER_VALUE REGISTER(0x40000004)
#define TIMER_RELOAD REGISTER(0x40000008)

enum { kFrames = 70, kStuckFrame = 40, kStride = 16, kPainted = 2048, kUnpainted = 64 };

static edgeprobe_mcu probe;
static edgeprobe_mcu_channel channels[8];
static network net;
static activations act;
static uint8_t picture[kSide * kStride];
static int is_stuck;

static size_t uart_write(void* context, const uint8_t* bytes, size_t size) {
  (void)context;
  if (is_stuck) size /= 2;
  for (size_t i = 0; i < size; ++i) {
    while (UART_STATE & 1u) {
    }
    UART_DATA = bytes[i];
  }
  return size;
}

/* The timer counts down at 25 MHz, 40 ns per step; it wraps around after three minutes. */
static uint64_t now_ns(void* context) {
  (void)context;
  return (uint64_t)(0xffffffffu - TIMER_VALUE) * 40u;
}

static const int32_t picture_shape[] = {kSide, kSide}, input_shape[] = {1, kSide, kSide, 1},
                     conv_shape[] = {1, kConvSide, kConvSide, kFilters},
                     pool_shape[] = {1, kPoolSide, kPoolSide, kFilters},
                     score_shape[] = {1, kClasses};
static const float input_scale[] = {0.0078125f}, conv_scale[] = {0.02f}, score_scale[] = {0.125f};
static const int32_t input_zero[] = {-1}, conv_zero[] = {-128}, score_zero[] = {3};

static const edgeprobe_mcu_tensor camera = {.name = "camera",
                                            .stage = EDGEPROBE_MCU_RAW_INPUT,
                                            .dtype = EDGEPROBE_MCU_UINT8,
                                            .format = EDGEPROBE_MCU_GRAY8,
                                            .rank = 2,
                                            .shape = picture_shape};
static const edgeprobe_mcu_tensor input = {.name = "image",
                                           .stage = EDGEPROBE_MCU_MODEL_INPUT,
                                           .dtype = EDGEPROBE_MCU_INT8,
                                           .rank = 4,
                                           .shape = input_shape,
                                           .scale_count = 1,
                                           .scale = input_scale,
                                           .zero_point = input_zero};
static const edgeprobe_mcu_tensor convolved = {.name = "conv/relu",
                                               .stage = EDGEPROBE_MCU_LAYER,
                                               .dtype = EDGEPROBE_MCU_INT8,
                                               .rank = 4,
                                               .shape = conv_shape,
                                               .scale_count = 1,
                                               .scale = conv_scale,
                                               .zero_point = conv_zero,
                                               .position = 0,
                                               .layer_type = "CONV_2D"};
static const edgeprobe_mcu_tensor pooled = {.name = "pool",
                                            .stage = EDGEPROBE_MCU_LAYER,
                                            .dtype = EDGEPROBE_MCU_INT8,
                                            .rank = 4,
                                            .shape = pool_shape,
                                            .scale_count = 1,
                                            .scale = conv_scale,
                                            .zero_point = conv_zero,
                                            .position = 1,
                                            .layer_type = "MAX_POOL_2D"};
static const edgeprobe_mcu_tensor scores = {.name = "scores",
                                            .stage = EDGEPROBE_MCU_MODEL_OUTPUT,
                                            .dtype = EDGEPROBE_MCU_INT8,
                                            .rank = 2,
                                            .shape = score_shape,
                                            .scale_count = 1,
                                            .scale = score_scale,
                                            .zero_point = score_zero};
static const edgeprobe_mcu_fact facts[] = {{"model", "twelve.c"}, {"engine", "fixed point"}};

static void log_frame(void) {
  edgeprobe_mcu_log_image(&probe, &camera, picture, kStride);
  edgeprobe_mcu_log_tensor(&probe, &input, act.input, sizeof act.input);
  edgeprobe_mcu_start(&probe);
  infer(&net, &act);
  edgeprobe_mcu_stop(&probe);
  edgeprobe_mcu_log_tensor(&probe, &convolved, act.convolved, sizeof act.convolved);
  edgeprobe_mcu_log_tensor(&probe, &pooled, act.pooled, sizeof act.pooled);
  edgeprobe_mcu_log_tensor(&probe, &scores, act.scores, sizeof act.scores);
}

/* The stack below this address is painted; touched_stack() counts down to the lowest byte that lost
 * its paint. */
static uint8_t* stack_pointer(void) {
  uint8_t* here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  return here;
}

static void paint_stack(void) {
  for (volatile uint8_t* at = stack_pointer() - kUnpainted; at > stack_pointer() - kPainted; --at)
    *at = 0xa5;
}

static int32_t touched_stack(void) {
  const volatile uint8_t* at = stack_pointer() - kPainted + 1;
  while (*at == 0xa5) ++at;
  return (int32_t)(stack_pointer() - at);
}

int main(void) {
  UART_DIVIDER = 16;
  UART_CONTROL = 1;
  TIMER_RELOAD = 0xffffffffu;
  TIMER_VALUE = 0xffffffffu;
  TIMER_CONTROL = 1;
  make_network(&net);

  static edgeprobe_mcu_options options;
  options.write = uart_write;
  options.now = now_ns;
  options.channels = channels;
  options.channel_capacity = 8;
  options.facts = facts;
  options.fact_count = 2;
  edgeprobe_mcu_open(&probe, &options);
  edgeprobe_mcu_mark(&probe, "boot", "MPS2");
  uint32_t random = 1;
  int32_t stack = 0;
  for (int32_t frame = 0; frame < kFrames; ++frame) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        const uint8_t pixel = (uint8_t)next_random(&random);
        picture[y * kStride + x] = pixel;
        act.input[y * kSide + x] = (int8_t)(pixel - 128);
      }
    paint_stack();
    edgeprobe_mcu_frame_begin(&probe);
    edgeprobe_mcu_frame_label(&probe, frame % kClasses);
    is_stuck = frame == kStuckFrame;
    log_frame();
    edgeprobe_mcu_log_float(&probe, "lux", (float)frame * 0.25f);
    edgeprobe_mcu_log_int(&probe, "stack", stack);
    const int status = edgeprobe_mcu_frame_end(&probe);
    const int32_t touched = touched_stack();
    if (touched > stack) stack = touched;
    is_stuck = 0;
    if (status != (frame == kStuckFrame ? EDGEPROBE_MCU_LIMIT : EDGEPROBE_MCU_OK)) return 1;
    const float temperature[] = {21.5f};
    edgeprobe_mcu_sensor(&probe, "temperature", temperature, 1, "Cel");
  }
  edgeprobe_mcu_close(&probe);
  return edgeprobe_mcu_dropped_frames(&probe) == 1 ? 0 : 2;
}
