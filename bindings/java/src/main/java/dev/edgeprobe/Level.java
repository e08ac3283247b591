// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** How much of a frame is recorded. Each level holds what the ones before hold. */
public enum Level {
  /** The record of each frame: sample, label, latency. Marks, spans and sensors. */
  NONE,
  /** Raw input, stages of pre-processing, inputs and outputs of the model, variables. */
  IO,
  /** And the layers that are logged as {@link Stage#EMBEDDING}. */
  EMBEDDING,
  /** And all layers. */
  LAYERS;

  private static final Level[] ALL = values();

  static Level of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : NONE;
  }
}
