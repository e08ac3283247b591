/** Bilinear resize whose triangle is as wide as the reduction; each of its two passes rounds to 8 bits. */
final class Antialias {
  private static final int BITS = 22;

  private Antialias() {}

  static int[] rows(int[] pixels, int width, int height, int target) {
    int[] result = new int[target * height];
    for (int x = 0; x < target; x++) {
      Weights weights = new Weights(width, target, x);
      for (int y = 0; y < height; y++) result[y * target + x] = weights.sum(pixels, y * width, 1);
    }
    return result;
  }

  static int[] columns(int[] pixels, int width, int height, int target) {
    int[] result = new int[width * target];
    for (int y = 0; y < target; y++) {
      Weights weights = new Weights(height, target, y);
      for (int x = 0; x < width; x++) result[y * width + x] = weights.sum(pixels, x, width);
    }
    return result;
  }

  /** Of one pixel of the result: which pixels it comes from, and how much of each. */
  private static final class Weights {
    private final int first;
    /** Of a whole that is 1 << BITS. */
    private final int[] share;

    Weights(int size, int target, int place) {
      double scale = (double) size / target;
      double reach = Math.max(scale, 1);
      double center = (place + 0.5) * scale;
      first = Math.max(0, (int) (center - reach + 0.5));
      double[] height = new double[Math.min(size, (int) (center + reach + 0.5)) - first];
      double sum = 0;
      for (int i = 0; i < height.length; i++) {
        height[i] = Math.max(0, 1 - Math.abs((first + i + 0.5 - center) / reach));
        sum += height[i];
      }
      share = new int[height.length];
      for (int i = 0; i < height.length; i++) share[i] = (int) (height[i] / sum * (1 << BITS) + 0.5);
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
      return Math.min(255, sum >> BITS);
    }
  }
}
