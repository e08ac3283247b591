// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.util.Arrays;

/**
 * The description of a tensor without its values. Immutable; create it once instead of in each frame.
 *
 * <pre>{@code
 * static final TensorSpec INPUT = TensorSpec.of(Stage.MODEL_INPUT, "image", DType.INT8, 1, 64, 64, 3)
 *     .quantized(0.0078125f, -1).position(0);
 * }</pre>
 */
public final class TensorSpec {
  final Stage stage;
  final byte[] name;
  final DType dtype;
  final long[] shape;
  final float[] scale;
  final long[] zeroPoint;
  final int axis;
  final int position;
  final byte[] layerType;

  private TensorSpec(Stage stage, byte[] name, DType dtype, long[] shape, float[] scale, long[] zeroPoint, int axis,
      int position, byte[] layerType) {
    this.stage = stage;
    this.name = name;
    this.dtype = dtype;
    this.shape = shape;
    this.scale = scale;
    this.zeroPoint = zeroPoint;
    this.axis = axis;
    this.position = position;
    this.layerType = layerType;
  }

  /**
   * Row-major, outermost dimension first; a scalar has no dimensions.
   *
   * @throws EdgeprobeException USAGE if an argument is null or the name contains a NUL
   */
  public static TensorSpec of(Stage stage, String name, DType dtype, long... shape) {
    if (stage == null || dtype == null || shape == null) {
      throw new EdgeprobeException(Status.USAGE, "the stage, dtype or shape of a tensor is null");
    }
    return new TensorSpec(stage, Text.required("the name of a tensor", name), dtype, shape.clone(), null, null, 0, -1,
        null);
  }

  /** real = scale * (stored - zeroPoint). */
  public TensorSpec quantized(float scale, long zeroPoint) {
    return quantized(new float[] {scale}, new long[] {zeroPoint}, 0);
  }

  /** One scale for each index along {@code axis}; null zero points are all 0. */
  public TensorSpec quantized(float[] scale, long[] zeroPoint, int axis) {
    if (zeroPoint != null && zeroPoint.length != scale.length) {
      throw new EdgeprobeException(Status.USAGE,
          scale.length + " scales and " + zeroPoint.length + " zero points: expected as many of each");
    }
    return new TensorSpec(stage, name, dtype, shape, scale.clone(), zeroPoint == null ? null : zeroPoint.clone(), axis,
        position, layerType);
  }

  /** Index among the model's inputs or outputs, or of the layer. */
  public TensorSpec position(int position) {
    return new TensorSpec(stage, name, dtype, shape, scale, zeroPoint, axis, position, layerType);
  }

  /** "CONV_2D". */
  public TensorSpec layerType(String layerType) {
    return new TensorSpec(stage, name, dtype, shape, scale, zeroPoint, axis, position, Text.bytes(layerType));
  }

  /** The same tensor in another shape. */
  public TensorSpec shape(long... shape) {
    return new TensorSpec(stage, name, dtype, shape.clone(), scale, zeroPoint, axis, position, layerType);
  }

  /** Whether it has this type and shape. */
  public boolean describes(DType dtype, long[] shape) {
    return this.dtype == dtype && Arrays.equals(this.shape, shape);
  }
}
