// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/**
 * Sees every raw input before it is stored. It does not see model inputs, steps and layers, which also contain the
 * picture.
 */
@FunctionalInterface
public interface Redactor {
  /**
   * Overwrites sensitive content. {@code bytes} is a private copy, which is recorded when this method returns. If it
   * throws, zeros are recorded. It is called in the logging thread and must not call the probe.
   */
  void redact(String name, byte[] bytes);
}
