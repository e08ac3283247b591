// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** Why a probe could not be opened, or, from {@link Probe#error()}, why a call recorded nothing. */
public final class EdgeprobeException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final Status status;

  public EdgeprobeException(Status status, String message) {
    super(message);
    this.status = status;
  }

  public EdgeprobeException(Status status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  public Status status() {
    return status;
  }
}
