// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The layout of a picture's bytes. */
public enum Pixels {
  /** Three bytes per pixel. */
  RGB8,
  BGR8,
  RGBA8,
  /** Also the memory layout of a Java {@code int[]} of ARGB values on little-endian processors. */
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
