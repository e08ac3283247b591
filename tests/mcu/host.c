// SPDX-License-Identifier: Apache-2.0
/* The probe on this machine: 20 frames on standard output. Every 17th packet is accepted only in
 * part. */
#include <stdio.h>

#include "edgeprobe_mcu.h"

static size_t packets;

static size_t write_out(void* context, const uint8_t* bytes, size_t size) {
  (void)context;
  return fwrite(bytes, 1, ++packets % 17 == 0 ? size / 2 : size, stdout);
}
static uint64_t now(void* context) { return *(uint64_t*)context += 1000; }

int main(void) {
  static const int32_t shape[] = {3, 100}, size[] = {4, 5};
  static const float scales[] = {1, 0.5f, 0.25f};
  static const edgeprobe_mcu_tensor tensor = {.name = "t",
                                              .stage = EDGEPROBE_MCU_LAYER,
                                              .dtype = EDGEPROBE_MCU_INT16,
                                              .rank = 2,
                                              .shape = shape,
                                              .scale_count = 3,
                                              .scale = scales,
                                              .position = 2};
  static const edgeprobe_mcu_tensor picture = {.name = "p",
                                               .stage = EDGEPROBE_MCU_RAW_INPUT,
                                               .dtype = EDGEPROBE_MCU_UINT8,
                                               .format = EDGEPROBE_MCU_RGB8,
                                               .rank = 2,
                                               .shape = size};
  static int16_t values[300];
  static uint8_t pixels[4 * 16];
  static edgeprobe_mcu probe;
  static edgeprobe_mcu_channel channels[2];
  uint64_t clock = 0;
  const edgeprobe_mcu_options options = {.write = write_out,
                                         .now = now,
                                         .context = &clock,
                                         .channels = channels,
                                         .channel_capacity = 2,
                                         .repeat_frames = 6};
  edgeprobe_mcu_open(&probe, &options);
  for (int frame = 0; frame < 20; ++frame) {
    for (int i = 0; i < 300; ++i) values[i] = (int16_t)(frame * i);
    for (int i = 0; i < 64; ++i) pixels[i] = (uint8_t)(frame + i);
    edgeprobe_mcu_frame_begin(&probe);
    edgeprobe_mcu_log_tensor(&probe, &tensor, values, sizeof values);
    edgeprobe_mcu_log_image(&probe, &picture, pixels, 16);
    edgeprobe_mcu_log_float(&probe, "f", 0.5f);
    edgeprobe_mcu_log_text(&probe, "s", "text");
    edgeprobe_mcu_frame_end(&probe);
    edgeprobe_mcu_mark(&probe, "mark", NULL);
  }
  edgeprobe_mcu_close(&probe);
  return (int)edgeprobe_mcu_dropped_frames(&probe);
}
