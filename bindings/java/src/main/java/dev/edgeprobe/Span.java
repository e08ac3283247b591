// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The duration of a named step, from {@link Frame#span} to {@link #close}. */
public final class Span implements AutoCloseable {
  private final Frame frame;
  final byte[] name;
  final long startNs;
  private boolean ended;

  Span(Frame frame, byte[] name, long startNs) {
    this.frame = frame;
    this.name = name;
    this.startNs = startNs;
  }

  @Override
  public void close() {
    if (ended) return;
    ended = true;
    frame.end(this);
  }
}
