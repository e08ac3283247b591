// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The folder that tests write to. Traces stay there, and tests in other languages read them. */
public final class Traces {
  private Traces() {}

  /** A path without an existing file. */
  public static Path fresh(String name) throws IOException {
    Path folder = Paths.get(System.getProperty("edgeprobe.traces"));
    Files.createDirectories(folder);
    Path path = folder.resolve(name);
    Files.deleteIfExists(path);
    return path;
  }

  public static Path source(String path) {
    return Paths.get(System.getProperty("edgeprobe.source"), path);
  }
}
