// SPDX-License-Identifier: Apache-2.0
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.edgeprobe.DType;
import dev.edgeprobe.Frame;
import dev.edgeprobe.Level;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Stage;
import dev.edgeprobe.Status;
import dev.edgeprobe.TensorSpec;
import dev.edgeprobe.onnxruntime.SessionProbe;
import dev.edgeprobe.tflite.InterpreterProbe;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.tensorflow.lite.Interpreter;

/** Started by probe_overhead.py: FOLDER ROUNDS BLOCK THREADS MODEL... */
public final class ProbeOverhead {
  /** CPU time of all threads, in microseconds. The kernel's count of a running thread lags by a tick, so the current thread's time comes from Java. */
  private static double cpu() throws IOException {
    String mine = Paths.get("/proc/thread-self").toRealPath().getFileName().toString();
    double sum = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e3;
    for (File thread : new File("/proc/self/task").listFiles()) {
      if (thread.getName().equals(mine)) continue;
      sum += Long.parseLong(Files.readString(thread.toPath().resolve("schedstat")).split(" ")[0]) / 1e3;
    }
    return sum;
  }

  interface Work {
    void run() throws Exception;
  }

  /** One way to run a frame, and the medians of its blocks. */
  private static final class Way {
    final String name;
    final Work frame;
    final List<Double> wall = new ArrayList<>();
    final List<Double> cpu = new ArrayList<>();

    Way(String name, Work frame) {
      this.name = name;
      this.frame = frame;
    }

    void block(int count) throws Exception {
      double[] took = new double[count];
      double cpuBefore = cpu();
      for (int i = 0; i < count; i++) {
        long begin = System.nanoTime();
        frame.run();
        took[i] = (System.nanoTime() - begin) / 1e3;
      }
      cpu.add((cpu() - cpuBefore) / count);
      Arrays.sort(took);
      wall.add(took[count / 2]);
    }
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  /** Median, and its 95 % interval by order statistics. */
  private static String interval(List<Double> values, String format) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int n = sorted.size();
    int low = (int) Math.max(0, n / 2.0 - 0.98 * Math.sqrt(n) - 0.5);
    return String.format(Locale.ROOT, format + " (" + format + " to " + format + ")", sorted.get(n / 2), sorted.get(low), sorted.get(n - 1 - low));
  }

  private static void measure(String model, int threads, List<Way> ways, int rounds, int block) throws Exception {
    for (Way way : ways) {
      for (int i = 0; i < 20; i++) way.block(block);  // Warm-up: lets the JIT compiler finish.
      way.wall.clear();
      way.cpu.clear();
    }
    List<Way> order = new ArrayList<>(ways);
    Random random = new Random(1);
    for (int round = 0; round < rounds; round++) {
      Collections.shuffle(order, random);
      for (Way way : order) way.block(block);
    }
    Way bare = ways.get(0);
    System.out.printf(Locale.ROOT, "%s, %d thread%s: %.1f us, CPU %.1f us%n", model, threads, threads == 1 ? "" : "s", median(bare.wall), median(bare.cpu));
    for (Way way : ways.subList(1, ways.size())) {
      List<Double> added = new ArrayList<>();
      List<Double> ratio = new ArrayList<>();
      List<Double> cpu = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        added.add(way.wall.get(i) - bare.wall.get(i));
        ratio.add(way.wall.get(i) / bare.wall.get(i));
        cpu.add(way.cpu.get(i) - bare.cpu.get(i));
      }
      System.out.printf("  %-6s + %s us, ratio %s, CPU + %s us%n", way.name, interval(added, "%.1f"), interval(ratio, "%.4f"), interval(cpu, "%.1f"));
    }
  }

  private static Probe probe(Path folder, String name, Level level) throws Exception {
    Path path = folder.resolve(name + "-" + level + ".mcap");
    Files.deleteIfExists(path);
    return Probe.builder(path.toFile()).level(level).open();
  }

  private static void onnx(Path model, Path folder, int threads, int rounds, int block) throws Exception {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setIntraOpNumThreads(threads);
      try (OrtSession session = environment.createSession(model.toString(), options);
          Probe none = probe(folder, "onnx", Level.NONE);
          Probe io = probe(folder, "onnx", Level.IO);
          OnnxTensor input = OnnxTensor.createTensor(environment,
              ByteBuffer.allocateDirect(4 * 3 * 64 * 64).order(ByteOrder.nativeOrder()).asFloatBuffer(), new long[] {1, 3, 64, 64})) {
        Map<String, OnnxTensor> inputs = Map.of(session.getInputNames().iterator().next(), input);
        SessionProbe withNone = new SessionProbe(none, session);
        SessionProbe withIo = new SessionProbe(io, session);
        measure(model.getFileName() + " (ONNX Runtime)", threads, List.of(new Way("bare", () -> session.run(inputs).close()),
            new Way("none", () -> withNone.run(inputs).close()), new Way("io", () -> withIo.run(inputs).close())), rounds, block);
        report(none, io);
      }
    }
  }

  private static void tflite(Path model, Path folder, int threads, int rounds, int block) throws Exception {
    try (Interpreter interpreter = new Interpreter(model.toFile(), new Interpreter.Options().setNumThreads(threads).setUseXNNPACK(true));
        Probe none = probe(folder, "tflite", Level.NONE);
        Probe io = probe(folder, "tflite", Level.IO)) {
      ByteBuffer input = ByteBuffer.allocateDirect(interpreter.getInputTensor(0).numBytes()).order(ByteOrder.nativeOrder());
      ByteBuffer output = ByteBuffer.allocateDirect(interpreter.getOutputTensor(0).numBytes()).order(ByteOrder.nativeOrder());
      InterpreterProbe withNone = new InterpreterProbe(none, interpreter);
      InterpreterProbe withIo = new InterpreterProbe(io, interpreter);
      measure(model.getFileName() + " (TensorFlow Lite)", threads, List.of(new Way("bare", () -> {
        output.clear();
        interpreter.run(input, output);
      }), new Way("none", () -> {
        output.clear();
        withNone.run(input, output);
      }), new Way("io", () -> {
        output.clear();
        withIo.run(input, output);
      })), rounds, block);
      report(none, io);
    }
  }

  private static void report(Probe... probes) {
    for (Probe probe : probes) {
      if (probe.error() != null) System.out.println("  error: " + probe.error().getMessage());
      if (probe.statistics().droppedFrames > 0) System.out.println("  " + probe.statistics());
    }
  }

  /** One tensor() call, without an engine around it. */
  private static void calls(Path folder, int rounds, boolean print) throws Exception {
    for (int size : new int[] {12, 3 * 64 * 64}) {
      TensorSpec spec = TensorSpec.of(Stage.MODEL_OUTPUT, "x", DType.FLOAT32, size);
      ByteBuffer direct = ByteBuffer.allocateDirect(4 * size).order(ByteOrder.nativeOrder());
      float[] array = new float[size];
      ByteBuffer target = ByteBuffer.allocateDirect(4 * size).order(ByteOrder.nativeOrder());
      for (String name : new String[] {"copy", "direct", "array"}) {
        List<Double> each = new ArrayList<>();
        try (Probe probe = probe(folder, "calls", Level.IO)) {
          for (int round = 0; round < 10 * rounds; round++) {
            double[] took = new double[40];
            for (int i = 0; i < took.length; i++) {
              try (Frame frame = probe.frame()) {
                direct.clear();
                target.clear();
                Status status = Status.OK;
                long begin = System.nanoTime();
                if (name.equals("copy")) target.put(direct);
                else status = frame.tensor(spec, name.equals("direct") ? direct : array);
                took[i] = System.nanoTime() - begin;
                if (status != Status.OK) throw probe.error();
              }
            }
            Arrays.sort(took);
            if (round >= 9 * rounds) each.add(took[took.length / 2]);
            probe.flush();
          }
        }
        if (print) System.out.printf("tensor() of %d bytes, %s: %s ns%n", 4 * size, name, interval(each, "%.0f"));
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Paths.get(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    int block = Integer.parseInt(arguments[2]);
    int threads = Integer.parseInt(arguments[3]);
    for (String model : Arrays.asList(arguments).subList(4, arguments.length)) {
      if (model.endsWith(".onnx")) onnx(Paths.get(model), folder, threads, rounds, block);
      else tflite(Paths.get(model), folder, threads, rounds, block);
    }
    calls(folder, rounds, false);  // Warm-up for the JIT compiler, as above.
    calls(folder, rounds, true);
  }

  private ProbeOverhead() {}
}
