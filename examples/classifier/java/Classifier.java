import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.edgeprobe.Frame;
import dev.edgeprobe.Level;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Raw;
import dev.edgeprobe.onnxruntime.SessionProbe;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** An image classifier as an application would have it. The lines of edgeprobe are marked. */
public final class Classifier {
  private static final long[] SHAPE = {1, 3, Preprocess.SIZE, Preprocess.SIZE};

  public static void main(String[] arguments) throws Exception {
    Flags flags;
    try {
      flags = Flags.parse(arguments);
    } catch (IllegalArgumentException wrong) {
      System.err.println(wrong.getMessage() + "\n" + Flags.HELP);
      System.exit(2);
      return;
    }
    Map<String, Integer> labels = labels(flags.labels);
    int right = 0;
    int labelled = 0;
    try (OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession.SessionOptions options = options(flags.threads);
        OrtSession session = environment.createSession(flags.model.toString(), options);
        Probe probe = probe(flags)) {                                                                      // edgeprobe
      SessionProbe model = new SessionProbe(probe, session);                                               // edgeprobe
      String input = session.getInputNames().iterator().next();
      for (Path file : pictures(flags)) {
        String name = flags.data.relativize(file).toString();
        byte[] bytes = Files.readAllBytes(file);
        try (Frame frame = probe.frame()) {                                                                // edgeprobe
          frame.sample(name);                                                                              // edgeprobe
          frame.encoded("picture", bytes);                                                                 // edgeprobe
          Integer label = labels.get(name);
          if (label != null) frame.label(label);                                                           // edgeprobe
          flags.preprocess.run(ImageIO.read(new ByteArrayInputStream(bytes)));
          try (OnnxTensor tensor = OnnxTensor.createTensor(environment, flags.preprocess.input, SHAPE);
              OrtSession.Result result = model.run(frame, Map.of(input, tensor))) {                        // edgeprobe
            float[] scores = ((float[][]) result.get(0).getValue())[0];
            int best = 0;
            for (int i = 1; i < scores.length; i++) if (scores[i] > scores[best]) best = i;
            if (label != null) labelled++;
            if (label != null && label == best) right++;
            System.out.printf(Locale.ROOT, "%s %d %.3f%n", name, best, scores[best]);
          }
        }
      }
      if (probe.error() != null) System.err.println("not all was recorded: " + probe.error().getMessage()); // edgeprobe
    }
    if (labelled > 0) System.out.printf(Locale.ROOT, "right: %d of %d%n", right, labelled);
  }

  private static Probe probe(Flags flags) {
    if (flags.trace == null) return Probe.off();
    return Probe.builder(flags.trace.toFile()).level(Level.valueOf(flags.level)).raw(Raw.valueOf(flags.raw))
        .waitWhenFull(true)  // It reads files as fast as it can; with a camera it would not wait.
        .open();
  }

  private static OrtSession.SessionOptions options(int threads) throws Exception {
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(threads);
    return options;
  }

  private static List<Path> pictures(Flags flags) throws IOException {
    try (Stream<Path> files = Files.walk(flags.data)) {
      List<Path> all = files.filter(file -> file.toString().matches("(?i).*\\.(jpe?g|png|bmp)")).sorted().collect(Collectors.toList());
      int count = Math.min(flags.frames, all.size());
      return Stream.iterate(0, i -> i + 1).limit(count).map(i -> all.get((int) ((long) i * all.size() / count)))
          .collect(Collectors.toList());
    }
  }

  /** file,label,... with a head line. */
  private static Map<String, Integer> labels(Path file) throws IOException {
    Map<String, Integer> labels = new HashMap<>();
    if (file == null) return labels;
    List<String> lines = Files.readAllLines(file);
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.split(",");
      labels.put(fields[0], Integer.parseInt(fields[1]));
    }
    return labels;
  }

  private Classifier() {}
}
