// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** How much of a frame is recorded. Each level includes the earlier ones. */
public enum Level {
  /** Sample, label and latency of each frame; marks, spans and sensors. */
  NONE,
  /** Raw input, stages of pre-processing, inputs and outputs of the model, variables. */
  IO,
  /** Also the layers logged as {@link Stage#EMBEDDING}. */
  EMBEDDING,
  /** Also all layers. */
  LAYERS;

  private static final Level[] ALL = values();

  static Level of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : NONE;
  }
}
