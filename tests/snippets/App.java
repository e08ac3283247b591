// SPDX-License-Identifier: Apache-2.0
// The same application in C++, Python and Java: tests/snippets/snippets_test.py compares the traces tensor by tensor.
import dev.edgeprobe.Answer;
import dev.edgeprobe.DType;
import dev.edgeprobe.Frame;
import dev.edgeprobe.ImageSpec;
import dev.edgeprobe.Level;
import dev.edgeprobe.Pixels;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Raw;
import dev.edgeprobe.Span;
import dev.edgeprobe.Stage;
import dev.edgeprobe.TensorSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

public final class App {
  private static ByteBuffer bytes(int size, int first) {
    ByteBuffer values = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    for (int i = 0; i < size; i++) values.put(i, (byte) (first + i));
    return values;
  }

  private static byte[] int8(int size, int first) {
    byte[] values = new byte[size];
    for (int i = 0; i < size; i++) values[i] = (byte) (first + i);
    return values;
  }

  private static short[] int16(int size, int first) {
    short[] values = new short[size];
    for (int i = 0; i < size; i++) values[i] = (short) (first + i);
    return values;
  }

  private static int[] int32(int size, int first) {
    int[] values = new int[size];
    for (int i = 0; i < size; i++) values[i] = first + i;
    return values;
  }

  private static long[] int64(int size, int first) {
    long[] values = new long[size];
    for (int i = 0; i < size; i++) values[i] = first + i;
    return values;
  }

  private static float[] float32(int size, int first) {
    float[] values = new float[size];
    for (int i = 0; i < size; i++) values[i] = first + i;
    return values;
  }

  private static double[] float64(int size, int first) {
    double[] values = new double[size];
    for (int i = 0; i < size; i++) values[i] = first + i;
    return values;
  }

  public static void main(String[] arguments) {
    TensorSpec image = TensorSpec.of(Stage.MODEL_INPUT, "image", DType.INT8, 1, 2, 2, 3).quantized(0.0078125f, -1).position(0);
    TensorSpec perChannel = TensorSpec.of(Stage.VARIABLE, "per channel", DType.INT16, 2, 2)
        .quantized(new float[] {0.5f, 0.25f}, new long[] {1, 2}, 1);
    ImageSpec front = ImageSpec.of("front", Pixels.NV21, 4, 4).rotation(270).mirrored(true).fullRange(true).bt709(true);
    Probe probe = Probe.builder(arguments[0]).level(Level.LAYERS).raw(Raw.ALL).exclude("variable/secret*").open();
    probe.describe("model", "snippet.tflite");
    probe.describe("engine", "none");
    for (int f = 0; f < 3; f++) {
      try (Frame frame = probe.frame()) {
        frame.sample("pictures/größe " + f + ".png");
        frame.label(f);

        frame.image(ImageSpec.of("camera", Pixels.RGB8, 4, 3).stride(16), int8(48, f));
        frame.image(front, bytes(24, 7 * f));
        frame.image(ImageSpec.of("screen", Pixels.BGRA8, 2, 2), bytes(16, f));
        frame.audio("microphone", DType.INT16, int16(8, -4), 2, 16000);
        frame.readings("motion", DType.INT16, int16(6, f), 3, 59.5);
        frame.readings("pressure", DType.FLOAT64, float64(2, f), 1, 0);
        frame.rawText("prompt", "größer 😀");
        if (f == 1) frame.beginSequence();
        frame.encoded("file", int8(5 + f, 1));

        try (Span span = frame.span("resize")) { }
        frame.tensor("resized", float32(6, f), 2, 3);
        frame.tensor(image, bytes(12, -6));
        frame.start();
        frame.stop();
        frame.tensor(TensorSpec.of(Stage.LAYER, "conv/1", DType.FLOAT32, 1, 4).position(4).layerType("CONV_2D"), float32(4, f));
        frame.tensor(TensorSpec.of(Stage.EMBEDDING, "pooled", DType.FLOAT64, 2).position(7), float64(2, f));
        frame.tensor(TensorSpec.of(Stage.MODEL_OUTPUT, "scores", DType.FLOAT32, 1, 2).position(0), new float[] {0.25f, 0.75f});
        frame.tensor(perChannel, int16(4, f));

        frame.tensor(Stage.VARIABLE, "float32", DType.FLOAT32, float32(3, f), 3);
        frame.tensor(Stage.VARIABLE, "float16", DType.FLOAT16, new short[] {0x3C00, 0x4000, (short) 0xC200}, 3);
        frame.tensor(Stage.VARIABLE, "bfloat16", DType.BFLOAT16, new short[] {0x3F80, 0x4000, (short) 0xC040}, 3);
        frame.tensor(Stage.VARIABLE, "float64", DType.FLOAT64, float64(3, f), 3);
        frame.tensor(Stage.VARIABLE, "int8", DType.INT8, int8(3, f), 3);
        frame.tensor(Stage.VARIABLE, "uint8", DType.UINT8, int8(3, f), 3);
        frame.tensor(Stage.VARIABLE, "int16", DType.INT16, int16(3, f), 3);
        frame.tensor(Stage.VARIABLE, "uint16", DType.UINT16, int16(3, f), 3);
        frame.tensor(Stage.VARIABLE, "int32", DType.INT32, int32(3, f), 3);
        frame.tensor(Stage.VARIABLE, "uint32", DType.UINT32, int32(3, f), 3);
        frame.tensor(Stage.VARIABLE, "int64", DType.INT64, int64(3, f), 3);
        frame.tensor(Stage.VARIABLE, "uint64", DType.UINT64, int64(3, f), 3);
        frame.tensor(Stage.VARIABLE, "bool", DType.BOOL, new boolean[] {true, false, true}, 3);
        frame.tensor(Stage.VARIABLE, "one number", DType.INT64, new long[] {(1L << 40) + f});

        frame.answer(Answer.of().labels("größer", "cat").classes(3 + f, -1).scores(0.75f, 0.25f).boxes(float32(8, f)));
        frame.answer(Answer.of().name("rest").mask(int8(6, f), 2, 3).points(float32(6, f)).vector(float32(3, f)).score(0.5f).alarm(f == 1)
            .text("größer 😀"));
        frame.answer(Answer.of().name("none").boxes());
        frame.scalar("threshold", 0.125 * f);
        frame.vector("box", 1, 2, 3, 4 + f);
        frame.text("answer", "größer 😀");
        frame.json("state", "{\"frame\": " + f + "}");
        frame.scalar("secret key", 1);
        frame.assertThat("odd", f % 2 == 1);
      }
    }
    probe.assertThat("labels", true);
    probe.assertThat("size", () -> "größer");
    probe.mark("camera", "restarted");
    probe.sensor("accelerometer", "m/s^2", 0.5, -1.25, 9.75);
    probe.sensorAbsent("light", "lx", "not permitted");
    probe.close();
    if (probe.error() != null) throw probe.error();
  }
}
