// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** How a call ended: {@code edgeprobe_status} of the C library, in its order. */
public enum Status {
  OK,
  /** The call itself is wrong: a size that does not fit the shape, a closed frame. */
  USAGE,
  /** A folder or file that is not there. */
  NOT_FOUND,
  CORRUPT,
  /** Valid, and beyond what this version does. */
  UNSUPPORTED,
  /** Memory, disk, or a stated limit. */
  LIMIT,
  /** The system refused: the message says what. */
  FAILED,
  /** No probe: it could not be opened, was closed, or this is a forked child. */
  OFF;

  private static final Status[] ALL = values();

  static Status of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : FAILED;
  }
}
