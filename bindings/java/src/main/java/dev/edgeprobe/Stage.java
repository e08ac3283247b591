// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** Where in the pipeline a tensor was taken. */
public enum Stage {
  /** A named step of the application's own pre- or post-processing. */
  INTERMEDIATE(1),
  /** An input of the model, the bytes that the engine is given. */
  MODEL_INPUT(2),
  LAYER(3),
  /** An output of the model, the bytes that the engine returned. */
  MODEL_OUTPUT(4),
  /** A layer that is recorded at {@link Level#EMBEDDING} too. */
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
