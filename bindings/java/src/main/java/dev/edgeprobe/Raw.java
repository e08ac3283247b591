// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The raw inputs to record. */
public enum Raw {
  /** The raw inputs of the first frames and of every frame that trips a trigger, up to a number of bytes. */
  SAMPLE,
  NONE,
  ALL
}
