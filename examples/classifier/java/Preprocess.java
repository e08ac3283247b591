import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** From a picture to the model's input: 1 x 3 x SIZE x SIZE floats. */
final class Preprocess {
  static final int SIZE = 64;

  enum Resize {
    /** The filter widens with the reduction, as in training. */
    ANTIALIAS,
    /** What Graphics2D does: four neighbours, however much smaller the result is. */
    BILINEAR,
    NEAREST
  }

  Resize resize = Resize.ANTIALIAS;
  double crop = 0.875;
  boolean bgr;
  float low = -1;
  float high = 1;
  int quarters;

  final FloatBuffer input = ByteBuffer.allocateDirect(4 * 3 * SIZE * SIZE).order(ByteOrder.nativeOrder()).asFloatBuffer();

  /** The result is `input`, which the next call overwrites. */
  FloatBuffer run(BufferedImage picture) {
    int[] pixels = resized(cropped(rotated(picture)));
    double scale = ((double) high - low) / 255;
    for (int channel = 0; channel < 3; channel++) {
      int shift = 8 * (bgr ? channel : 2 - channel);
      for (int i = 0; i < pixels.length; i++) {
        input.put(channel * pixels.length + i, (float) (low + scale * (pixels[i] >> shift & 0xFF)));
      }
    }
    return input;
  }

  private BufferedImage rotated(BufferedImage from) {
    for (int turn = 0; turn < quarters; turn++) {
      BufferedImage to = new BufferedImage(from.getHeight(), from.getWidth(), BufferedImage.TYPE_INT_RGB);
      for (int y = 0; y < from.getHeight(); y++) {
        for (int x = 0; x < from.getWidth(); x++) to.setRGB(from.getHeight() - 1 - y, x, from.getRGB(x, y));
      }
      from = to;
    }
    return from;
  }

  private BufferedImage cropped(BufferedImage from) {
    int width = (int) Math.round(from.getWidth() * crop);
    int height = (int) Math.round(from.getHeight() * crop);
    return from.getSubimage((from.getWidth() - width) / 2, (from.getHeight() - height) / 2, width, height);
  }

  /** RGB, row by row. */
  private int[] resized(BufferedImage from) {
    if (resize == Resize.ANTIALIAS) {
      int[] pixels = from.getRGB(0, 0, from.getWidth(), from.getHeight(), null, 0, from.getWidth());
      int[] narrow = Antialias.rows(pixels, from.getWidth(), from.getHeight(), SIZE);
      return Antialias.columns(narrow, SIZE, from.getHeight(), SIZE);
    }
    BufferedImage to = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = to.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, resize == Resize.NEAREST
        ? RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR
        : RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    graphics.drawImage(from, 0, 0, SIZE, SIZE, null);
    graphics.dispose();
    return to.getRGB(0, 0, SIZE, SIZE, null, 0, SIZE);
  }
}
