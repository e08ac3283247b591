// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.util.Arrays;

/** The native code calls this for every raw input: it runs the application's redactor and catches its failures. */
final class Redaction {
  private final Redactor redactor;
  private final Probe probe;

  Redaction(Redactor redactor, Probe probe) {
    this.redactor = redactor;
    this.probe = probe;
  }

  void redact(byte[] name, byte[] bytes) {
    try {
      redactor.redact(Text.of(name), bytes);
    } catch (Throwable wrong) {
      Arrays.fill(bytes, (byte) 0);
      probe.failed(wrong);
    }
  }
}
