// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.nio.charset.StandardCharsets;

/** Names and texts in the C library's form: UTF-8 that ends in a NUL. */
final class Text {
  private Text() {}

  /** Null stays null. A lone surrogate becomes '?'. */
  static byte[] bytes(String text) {
    if (text == null) return null;
    if (text.indexOf('\0') >= 0) {
      throw new EdgeprobeException(Status.USAGE, "a name or text contains a NUL, at which the C library would end it");
    }
    byte[] plain = text.getBytes(StandardCharsets.UTF_8);
    byte[] closed = new byte[plain.length + 1];
    System.arraycopy(plain, 0, closed, 0, plain.length);
    return closed;
  }

  static byte[] required(String what, String text) {
    if (text == null) throw new EdgeprobeException(Status.USAGE, what + " is null");
    return bytes(text);
  }

  static String of(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
