// SPDX-License-Identifier: Apache-2.0
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Pictures one after the other: the files of a folder, or the frames of a video. */
interface Source extends AutoCloseable {
  /** `name`: a file's path below the folder, or video.mp4#0, video.mp4#1, ...; `file`: its bytes, null for a frame of a video. */
  record Item(String name, BufferedImage picture, byte[] file) {}

  /** Null at the end. */
  Item next() throws IOException;

  @Override
  void close() throws IOException;

  static Source of(Path path, int most) throws IOException {
    return Files.isDirectory(path) ? new Folder(path, most) : new Video(path, most);
  }

  final class Folder implements Source {
    private final Path folder;
    private final List<Path> files;
    private int number;

    Folder(Path folder, int most) throws IOException {
      this.folder = folder;
      try (Stream<Path> below = Files.walk(folder)) {
        List<Path> all = below.filter(file -> file.toString().matches("(?i).*\\.(jpe?g|png|bmp)")).sorted().toList();
        int count = Math.min(most, all.size());
        files = IntStream.range(0, count).mapToObj(i -> all.get((int) ((long) i * all.size() / count))).toList();
      }
    }

    @Override
    public Item next() throws IOException {
      if (number == files.size()) return null;
      Path file = files.get(number++);
      byte[] bytes = Files.readAllBytes(file);
      BufferedImage picture = ImageIO.read(new ByteArrayInputStream(bytes));
      if (picture == null) throw new IOException(file + " is not a picture that Java reads");
      return new Item(folder.relativize(file).toString(), picture, bytes);
    }

    @Override
    public void close() {}
  }
}
