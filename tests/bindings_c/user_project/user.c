// SPDX-License-Identifier: Apache-2.0
#include <edgeprobe.h>
#include <edgeprobe/shorthand.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const float scores[] = {0.25f, 0.75f};
  edgeprobe_probe* probe;
  edgeprobe_frame* frame;
  if (argc < 2 || edgeprobe_open(argv[1], NULL, &probe) != EDGEPROBE_OK) {
    fprintf(stderr, "%s\n", edgeprobe_last_error());
    return 1;
  }
  edgeprobe_frame_begin(probe, &frame);
  edgeprobe_frame_start(frame);
  edgeprobe_frame_stop(frame);
  if (EDGEPROBE_LOG(frame, EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", scores, 2) != EDGEPROBE_OK)
    return 1;
  edgeprobe_frame_end(frame);
  return edgeprobe_close(probe, NULL) == EDGEPROBE_OK ? 0 : 1;
}
