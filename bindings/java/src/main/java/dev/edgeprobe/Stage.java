// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The position in the pipeline at which a tensor is recorded. */
public enum Stage {
  /** A named step of the application's own pre- or post-processing. */
  INTERMEDIATE(1),
  /** An input of the model, the bytes that the engine receives. */
  MODEL_INPUT(2),
  LAYER(3),
  /** An output of the model, the bytes that the engine returned. */
  MODEL_OUTPUT(4),
  /** A layer that is also recorded at {@link Level#EMBEDDING}. */
  EMBEDDING(5),
  /** A variable of the application. */
  VARIABLE(6),
  /** For {@link Frame#wants}: raw inputs are logged as image, audio, readings or encoded bytes. */
  RAW_INPUT(7),
  /** For {@link Frame#wants}: answers are logged by {@link Frame#answer}. */
  ANSWER(8);

  final int code;

  Stage(int code) {
    this.code = code;
  }
}
