// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** Counters of a probe. */
public final class Statistics {
  /** The current level; a budget may have lowered it. */
  public final Level level;
  /** Frames that were begun. */
  public final long frames;
  /** Frames whose tensors were recorded. */
  public final long recordedFrames;
  /** Frames dropped because the disk was too slow. */
  public final long droppedFrames;
  public final long tensors;
  /** Bytes of their values. */
  public final long bytes;
  /** Nanoseconds spent in calls of the library. */
  public final long timeNs;

  Statistics(long[] values) {
    level = Level.of((int) values[0]);
    frames = values[1];
    recordedFrames = values[2];
    droppedFrames = values[3];
    tensors = values[4];
    bytes = values[5];
    timeNs = values[6];
  }

  @Override
  public String toString() {
    return recordedFrames + " of " + frames + " frames recorded, " + tensors + " tensors, " + bytes + " bytes, "
        + droppedFrames + " frames dropped, level " + level + ", " + timeNs + " ns";
  }
}
