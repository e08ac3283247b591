// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The result of a call: {@code edgeprobe_status} of the C library, in its order. */
public enum Status {
  OK,
  /** The call itself is wrong: a size that does not match the shape, a closed frame. */
  USAGE,
  /** A folder or file does not exist. */
  NOT_FOUND,
  CORRUPT,
  /** Valid, but not supported by this version. */
  UNSUPPORTED,
  /** Memory, disk space, or a documented limit is exhausted. */
  LIMIT,
  /** The system refused; the message says why. */
  FAILED,
  /** The probe could not be opened, was closed, or this is a forked child. */
  OFF;

  private static final Status[] ALL = values();

  static Status of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : FAILED;
  }
}
