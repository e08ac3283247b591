// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The description of a camera picture without its pixels. Immutable. */
public final class ImageSpec {
  final byte[] name;
  final Pixels pixels;
  final int width;
  final int height;
  final int stride;
  final int chromaStride;
  final int rotation;
  final boolean mirrored;
  final boolean fullRange;
  final boolean bt709;

  private ImageSpec(byte[] name, Pixels pixels, int width, int height, int stride, int chromaStride, int rotation,
      boolean mirrored, boolean fullRange, boolean bt709) {
    this.name = name;
    this.pixels = pixels;
    this.width = width;
    this.height = height;
    this.stride = stride;
    this.chromaStride = chromaStride;
    this.rotation = rotation;
    this.mirrored = mirrored;
    this.fullRange = fullRange;
    this.bt709 = bt709;
  }

  /** @throws EdgeprobeException USAGE if an argument is null or negative, or the name contains a NUL */
  public static ImageSpec of(String name, Pixels pixels, int width, int height) {
    if (pixels == null || width < 0 || height < 0) {
      throw new EdgeprobeException(Status.USAGE, "an image needs a pixel format and a size that is not negative");
    }
    return new ImageSpec(Text.required("the name of an image", name), pixels, width, height, 0, 0, 0, false, false,
        false);
  }

  /** Bytes from one row to the next. By default rows are contiguous. */
  public ImageSpec stride(int bytes) {
    return new ImageSpec(name, pixels, width, height, bytes, chromaStride, rotation, mirrored, fullRange, bt709);
  }

  /** For YUV formats. Default: the stride for pairs, half of it for planes. */
  public ImageSpec chromaStride(int bytes) {
    return new ImageSpec(name, pixels, width, height, stride, bytes, rotation, mirrored, fullRange, bt709);
  }

  /** Clockwise degrees that turn the picture upright: 0, 90, 180, 270. Recorded, not applied. */
  public ImageSpec rotation(int degrees) {
    return new ImageSpec(name, pixels, width, height, stride, chromaStride, degrees, mirrored, fullRange, bt709);
  }

  /** A front camera's mirror picture. */
  public ImageSpec mirrored(boolean yes) {
    return new ImageSpec(name, pixels, width, height, stride, chromaStride, rotation, yes, fullRange, bt709);
  }

  /** For YUV formats: luma 0..255, not 16..235. */
  public ImageSpec fullRange(boolean yes) {
    return new ImageSpec(name, pixels, width, height, stride, chromaStride, rotation, mirrored, yes, bt709);
  }

  /** For YUV formats: BT.709, not BT.601. */
  public ImageSpec bt709(boolean yes) {
    return new ImageSpec(name, pixels, width, height, stride, chromaStride, rotation, mirrored, fullRange, yes);
  }
}
