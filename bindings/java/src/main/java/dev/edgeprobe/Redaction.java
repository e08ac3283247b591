// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.util.Arrays;

/** What the natives call for every raw input: the application's redactor, whose failure never leaves here. */
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
