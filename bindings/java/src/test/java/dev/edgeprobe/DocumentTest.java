// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs in docs/guides/java.md compile unchanged and run; the one for Android does so in its own module. */
class DocumentTest {
  @TempDir static Path folder;
  private static final Map<String, Path> SOURCES = new TreeMap<>();

  @BeforeAll
  static void compile() throws Exception {
    String page = Files.readString(Traces.source("docs/guides/java.md"));
    Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(page);
    while (block.find()) {
      if (block.group(1).contains("import android.")) continue;
      Matcher name = Pattern.compile("public class (\\w+)").matcher(block.group(1));
      assertTrue(name.find());
      SOURCES.put(name.group(1), Files.writeString(folder.resolve(name.group(1) + ".java"), block.group(1)));
    }
    String[] command = new String[SOURCES.size() + 5];
    command[0] = "-Xlint:all,-try";
    command[1] = "-cp";
    command[2] = System.getProperty("java.class.path") + File.pathSeparator + System.getProperty("surefire.test.class.path", "");
    command[3] = "-d";
    command[4] = folder.toString();
    int next = 5;
    for (Path source : SOURCES.values()) command[next++] = source.toString();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, said, said, command), said.toString());
    assertEquals("", said.toString());
  }

  private static String run(String name, Path... arguments) throws Exception {
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) texts[i] = arguments[i].toString();
    PrintStream before = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, DocumentTest.class.getClassLoader())) {
      System.setOut(new PrintStream(said));
      loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) texts);
    } finally {
      System.setOut(before);
    }
    return said.toString();
  }

  @Test
  void allAreTested() {
    assertEquals(java.util.Set.of("OnnxApp", "LiteApp", "OwnApp"), SOURCES.keySet());
  }

  @Test
  void onnxRuntime() throws Exception {
    Path trace = Traces.fresh("document-onnxruntime.mcap");
    assertEquals("12 scores\n", run("OnnxApp", Traces.source("models/signs_float.onnx"), trace));
    TraceFile written = TraceFile.read(trace);
    assertEquals(3 * 64 * 64 * 4, written.one("/model_input/image").data.length);
    assertEquals(48 * 32 * 3, written.one("/raw_input/camera").data.length);
    assertEquals(1, written.on("/frame").size());
  }

  @Test
  void tensorFlowLite() throws Exception {
    String library = System.getenv("EDGEPROBE_TFLITE_LIBRARY");
    assumeTrue(library != null && Files.exists(Paths.get(library)), "no TensorFlow Lite library (script/setup --tflite)");
    Path trace = Traces.fresh("document-tflite.mcap");
    assertEquals("12 scores\n", run("LiteApp", Traces.source("models/signs_float.tflite"), trace));
    assertEquals(1, TraceFile.read(trace).on("/frame").size());
  }

  @Test
  void everythingElse() throws Exception {
    Path trace = Traces.fresh("document-own.mcap");
    assertEquals("3 frames\n", run("OwnApp", trace));
    TraceFile written = TraceFile.read(trace);
    assertEquals(3, written.on("/model_input/image").size());
    assertEquals("90", written.on("/raw_input/camera").get(0).metadata.get("rotation"));
    assertEquals(3, written.on("/span/resize").size());
    assertEquals(2, written.on("/sensor/accelerometer").size() + written.on("/sensor/light").size());
  }
}
