// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** What a probe has done so far. */
public final class Statistics {
  /** Now; lower than asked for when a budget stepped it down. */
  public final Level level;
  /** Begun. */
  public final long frames;
  /** Of which tensors were recorded. */
  public final long recordedFrames;
  /** Because the disk was too slow. */
  public final long droppedFrames;
  public final long tensors;
  /** Of values. */
  public final long bytes;
  /** Nanoseconds inside calls of the library. */
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
