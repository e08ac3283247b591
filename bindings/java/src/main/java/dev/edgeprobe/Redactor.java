// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** Sees every raw input before it is kept; model inputs, steps and layers, which hold the picture as well, it does not see. */
@FunctionalInterface
public interface Redactor {
  /**
   * Overwrites what must not be kept. {@code bytes} is a private copy; it is recorded as it is when this returns. When
   * it throws, zeros are recorded in its place. Called in the thread that logs; it must not call
   * the probe.
   */
  void redact(String name, byte[] bytes);
}
