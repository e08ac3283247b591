# SPDX-License-Identifier: Apache-2.0
"""Finds Java's files, and runs Maven without a network."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPOSITORY = ROOT / ".deps" / "maven"
TFLITE = ROOT / ".deps" / "engines" / "libjnitensorflowlite.so"
JAVACV = ROOT / ".deps" / "javacv"  # The example app's videos.
ONNXRUNTIME = REPOSITORY / "com/microsoft/onnxruntime/onnxruntime/1.23.2/onnxruntime-1.23.2.jar"
ANDROID = REPOSITORY / "org/robolectric/android-all"


def missing(android=False, javacv=False):
    """A sentence about what is missing, or None."""
    for program in ("mvn", "javac"):
        if shutil.which(program) is None:
            return f"there is no {program} (script/setup --test)"
    if not ONNXRUNTIME.exists():
        return "the Maven packages are not fetched (script/setup --test)"
    if android and not ANDROID.exists():
        return "Android's classes are not fetched (script/setup --test)"
    if javacv and not JAVACV.exists():
        return "JavaCV is not fetched (script/setup --test)"
    return None


def require(android=False, javacv=False):
    """Skips the test with the reason if something is missing."""
    reason = missing(android, javacv)
    if reason:
        skip(reason)


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def target(build):
    return pathlib.Path(build) / "java" / "target"


def class_path(build):
    return ":".join(map(str, [target(build) / "classes", ONNXRUNTIME, *sorted(JAVACV.glob("*.jar"))]))


def mvn(build, *goals):
    return _mvn("bindings/java/pom.xml", f"-Dedgeprobe.target={target(build)}",
                f"-Dedgeprobe.native={pathlib.Path(build) / 'java' / 'native'}", *goals)


def validate(*options):
    """The first checks of `mvn install`, with only these options; without options, as a new user types it."""
    return _mvn("bindings/java/pom.xml", *options, "validate")


def android(build, *goals):
    """Runs Maven for the Android module, with the jar of the other module."""
    (jar,) = target(build).glob("edgeprobe-*.jar")
    return _mvn("bindings/java/android/pom.xml", f"-Dedgeprobe.android.target={target(build) / 'android'}", f"-Dedgeprobe.jar={jar}", *goals)


def _mvn(pom, *arguments):
    command = ["mvn", "-o", "-B", "-q", f"-Dmaven.repo.local={REPOSITORY}", "-f", ROOT / pom, *arguments]
    environment = dict(os.environ, EDGEPROBE_TFLITE_LIBRARY=str(TFLITE))
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)


def java(build, classes, main, *arguments, options=()):
    """Runs a program whose classes are in a folder; returns the finished process."""
    options = [f"-Dorg.bytedeco.javacpp.cachedir={target(build).parent / 'javacpp'}", *options]  # Does not write to the home folder.
    command = ["java", *options, "-cp", f"{classes}:{class_path(build)}", main, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def javac(build, folder, *sources):
    done = subprocess.run(["javac", "-Xlint:all,-try,-path", "-Werror", "--release", "17", "-cp", class_path(build), "-d", str(folder),
                           *map(str, sources)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
