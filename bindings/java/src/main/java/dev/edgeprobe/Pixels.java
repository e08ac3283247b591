// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** How the bytes of a picture are arranged. */
public enum Pixels {
  /** Three bytes a pixel. */
  RGB8,
  BGR8,
  RGBA8,
  /** Also what a Java {@code int[]} of ARGB values is in memory, on little-endian processors. */
  BGRA8,
  GRAY8,
  /** Luma, then pairs U V: one buffer, no gap between planes. */
  NV12,
  /** Luma, then pairs V U. */
  NV21,
  /** Luma, U, V. */
  I420,
  /** Luma, V, U. */
  YV12
}
