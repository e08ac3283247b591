// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryTest {
  @TempDir Path folder;

  /** Runs in another virtual machine and prints the result of opening a probe at the path in its first argument. */
  public static void main(String[] arguments) {
    try (Probe probe = Probe.open(arguments[0])) {
      System.out.println("opened " + Probe.version());
    } catch (EdgeprobeException why) {
      System.out.println(why.status() + ": " + why.getMessage());
    }
  }

  private String open(String... options) throws Exception {
    Path classes = Paths.get(Probe.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path tests = Paths.get(LibraryTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-Xshare:auto"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classes + File.pathSeparator + tests, LibraryTest.class.getName(),
        folder.resolve("x.mcap").toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  @Test
  void unpacksWithoutLeavingAnythingBehind() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    String said = open("-Djava.io.tmpdir=" + temporary);
    assertEquals("opened " + Probe.version() + "\n", said);
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.filter(path -> path.getFileName().toString().startsWith("edgeprobe")).toList());
    }
  }

  @Test
  void saysWhyItDoesNotLoad() throws Exception {
    assertTrue(open("-Djava.io.tmpdir=" + folder.resolve("absent")).startsWith("FAILED: the natives could not be unpacked"));
    assertTrue(open("-Dedgeprobe.library=/no/such.so").startsWith("UNSUPPORTED: the natives do not load: "));
    assertTrue(open("-Dos.arch=sparc").startsWith("UNSUPPORTED: the natives do not load: "));
  }

  @Test
  void takesALibraryByName() throws Exception {
    Path copy = folder.resolve("natives.so");
    try (var source = Probe.class.getResourceAsStream(
        "/META-INF/native/" + JarLibrary.machine() + "/libedgeprobe_jni.so")) {
      Files.copy(source, copy);
    }
    assertEquals("opened " + Probe.version() + "\n", open("-Dedgeprobe.library=" + copy));
  }
}
