// SPDX-License-Identifier: Apache-2.0
/** A resize whose kernel is as wide as the reduction, so that no pixel is skipped; each of its two passes rounds to 8 bits. */
final class Antialias {
  private static final int BITS = 22;

  /** Kernels over one, two or three pixels on each side if the picture is not reduced. */
  enum Kernel {
    BILINEAR(1), CUBIC(2), LANCZOS(3);

    final int reach;

    Kernel(int reach) {
      this.reach = reach;
    }

    double height(double x) {
      x = Math.abs(x);
      if (x >= reach) return 0;
      return switch (this) {
        case BILINEAR -> 1 - x;
        case CUBIC -> x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;  // Catmull-Rom
        case LANCZOS -> sinc(x) * sinc(x / 3);
      };
    }

    private static double sinc(double x) {
      return x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    }
  }

  private Antialias() {}

  /** RGB, row by row. */
  static int[] resize(int[] pixels, int width, int height, int toWidth, int toHeight, Kernel kernel) {
    return columns(rows(pixels, width, height, toWidth, kernel), toWidth, height, toHeight, kernel);
  }

  private static int[] rows(int[] pixels, int width, int height, int target, Kernel kernel) {
    int[] result = new int[target * height];
    for (int x = 0; x < target; x++) {
      Weights weights = new Weights(width, target, x, kernel);
      for (int y = 0; y < height; y++) result[y * target + x] = weights.sum(pixels, y * width, 1);
    }
    return result;
  }

  private static int[] columns(int[] pixels, int width, int height, int target, Kernel kernel) {
    int[] result = new int[width * target];
    for (int y = 0; y < target; y++) {
      Weights weights = new Weights(height, target, y, kernel);
      for (int x = 0; x < width; x++) result[y * width + x] = weights.sum(pixels, x, width);
    }
    return result;
  }

  /** The source pixels of one result pixel, with their weights. */
  private static final class Weights {
    private final int first;
    /** The weights sum to 1 << BITS. */
    private final int[] share;

    Weights(int size, int target, int place, Kernel kernel) {
      double scale = (double) size / target;
      double wide = Math.max(scale, 1);
      double reach = kernel.reach * wide;
      double center = (place + 0.5) * scale;
      first = Math.max(0, (int) (center - reach + 0.5));
      double[] height = new double[Math.min(size, (int) (center + reach + 0.5)) - first];
      double sum = 0;
      for (int i = 0; i < height.length; i++) {
        height[i] = kernel.height((first + i + 0.5 - center) / wide);
        sum += height[i];
      }
      share = new int[height.length];
      for (int i = 0; i < height.length; i++) share[i] = (int) Math.rint(height[i] / sum * (1 << BITS));
    }

    int sum(int[] pixels, int begin, int step) {
      int red = 1 << BITS - 1;
      int green = red;
      int blue = red;
      for (int i = 0; i < share.length; i++) {
        int pixel = pixels[begin + (first + i) * step];
        red += share[i] * (pixel >> 16 & 0xFF);
        green += share[i] * (pixel >> 8 & 0xFF);
        blue += share[i] * (pixel & 0xFF);
      }
      return byteOf(red) << 16 | byteOf(green) << 8 | byteOf(blue);
    }

    private static int byteOf(int sum) {
      return Math.max(0, Math.min(255, sum >> BITS));
    }
  }
}
