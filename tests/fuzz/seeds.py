# SPDX-License-Identifier: Apache-2.0
"""Writes a first corpus for each fuzz target, from the project's own models, pictures and traces, and from small files made here.

seeds.py OUT; with EDGEPROBE_SHARED_DATA (default ../shared/data) also from its small models and pictures."""
import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import struct
import sys
import tarfile
import zipfile

import flatbuffers
import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from mcap.writer import CompressionType, Writer
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
OUT = pathlib.Path(sys.argv[1])
RANDOM = np.random.default_rng(3)


def put(target, name, data):
    folder = OUT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{name}").write_bytes(data if isinstance(data, bytes) else data.encode())


def first_layers(path, count):
    """The first operators of a model with the tensors they use, as a file of a few kilobytes."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    graph = model.subgraphs[0]
    graph.operators = graph.operators[:count]
    used = sorted({int(t) for o in graph.operators for t in itertools.chain(o.inputs, o.outputs) if t >= 0})
    place = {-1: -1, **{t: i for i, t in enumerate(used)}}
    graph.tensors = [graph.tensors[t] for t in used]
    for operator in graph.operators:
        operator.inputs, operator.outputs = ([place[int(t)] for t in ends] for ends in (operator.inputs, operator.outputs))
    graph.inputs, graph.outputs = [place[int(t)] for t in graph.inputs], graph.operators[-1].outputs
    kept = sorted({0} | {t.buffer for t in graph.tensors})
    model.buffers = [model.buffers[b] for b in kept]
    for tensor in graph.tensors:
        tensor.buffer = kept.index(tensor.buffer)
    model.metadata, model.metadataBuffer, model.signatureDefs = None, None, None
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def models():
    files = {f"{m}-{n}": first_layers(ROOT / "models" / f"{m}.tflite", n) for m in ("signs_float", "signs_int8") for n in (1, 2, 4, 7)}
    files |= {p.name: p.read_bytes() for p in SHARED.rglob("*.tflite") if p.stat().st_size <= 16384}
    for name, data in files.items():
        for target in ("tflite_fuzz", "cut_fuzz"):
            put(target, name, data)
    put("cut_fuzz", "onnx", b"\x08\x07\x12\x07pytorch")
    put("onnx_fuzz", "parts", b"\x08\x08\x3a\x09\x5a\x03\x0a\x01x\x62\x02\x0a\x00\x3a\x03\x12\x01g\x42\x04\x0a\x00\x10\x11")
    onnx_files = [*SHARED.rglob("*.onnx"), *(ROOT / "models").glob("*.onnx")]
    for path in onnx_files:
        data = path.read_bytes()
        if len(data) <= 65536:
            put("onnx_fuzz", f"{path.parent.name}-{path.name}", data)
        if len(data) <= 20000:  # Each execution makes several cuts.
            put("cut_fuzz", f"{path.parent.name}-{path.name}", data)


def splittable():
    """Two convolutions with every kind of layer that can be between and after them, and two dense layers."""
    def weights(*shape):
        return numpy_helper.from_array(RANDOM.standard_normal(shape).astype(np.float32), f"w{len(kept)}")

    kept, nodes = [], []

    def layer(kind, source, *shapes, **attributes):
        names = [source]
        for shape in shapes:
            kept.append(weights(*shape))
            names.append(kept[-1].name)
        nodes.append(helper.make_node(kind, names, [f"t{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    x = layer("Conv", "x", (32, 2, 1, 1), (32,))
    x = layer("Conv", layer("Relu", x), (32, 1, 3, 3), group=32, pads=[1, 0, 1, 0])
    x = layer("MaxPool", layer("BatchNormalization", x, *[(32,)] * 4), kernel_shape=[2, 1], strides=[2, 1])
    x = layer("Conv", layer("PRelu", x, (32, 1, 1)), (2, 32, 1, 1), (2,), auto_pad="SAME_UPPER")
    y = layer("Gemm", layer("Flatten", x), (24, 32), (32,))
    y = layer("MatMul", layer("Add", y, (1, 32)), (32, 3))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 6, 6])], [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 3])], kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    put("cut_fuzz", "splittable", model.SerializeToString())


def pictures():
    pixels = {"rgb": RANDOM.integers(0, 256, (9, 13, 3), np.uint8), "gray": RANDOM.integers(0, 256, (8, 8), np.uint8),
              "rgba": RANDOM.integers(0, 256, (5, 6, 4), np.uint8), "smooth": np.tile(np.arange(32, dtype=np.uint8), (24, 1))}
    for name, values in pixels.items():
        image = Image.fromarray(values)
        exif = Image.Exif()
        exif[0x0112] = 6
        variants = [("png", {}), ("bmp", {})]
        if name != "rgba":
            variants += [("jpeg", {"quality": 80}), ("jpeg", {"progressive": True, "exif": exif}), ("jpeg", {"subsampling": 0, "quality": 30})]
        for i, (kind, options) in enumerate(variants):
            file = io.BytesIO()
            image.save(file, kind, **options)
            put("image_fuzz", f"{name}-{i}.{kind}", file.getvalue())
    for mode, kind in (("P", "png"), ("1", "png"), ("LA", "png"), ("I;16", "png"), ("CMYK", "jpeg"), ("P", "bmp"), ("1", "bmp")):
        source = Image.fromarray(pixels["smooth"].astype(np.uint16) * 2000) if mode == "I;16" else Image.fromarray(pixels["rgb"]).convert(mode)
        file = io.BytesIO()
        source.save(file, kind)
        put("image_fuzz", f"{mode.replace(';', '')}.{kind}", file.getvalue())
    for path in [*SHARED.rglob("*.png"), *SHARED.rglob("*.bmp"), *SHARED.rglob("*.jpg"), *(SHARED / "images" / "invalid").glob("*")]:
        if path.is_file() and path.stat().st_size <= 4096:
            put("image_fuzz", path.name, path.read_bytes())
    for name in ("w4_h4.nv12", "photo_w6_h4_stride8.nv21", "x.i420"):
        put("frame_fuzz", name, f"{name}\n" + "a" * 40)
    text = (ROOT / "tests" / "dataset" / "dataset_test.cc").read_text() + (ROOT / "docs" / "reference" / "recipes.md").read_text()
    for i, name in enumerate(sorted(set(re.findall(r"[\w.-]+\.(?:nv12|nv21|i420|yv12)\b", text)))):
        put("frame_fuzz", str(i), name + "\n" + "b" * 60)
    for i, table in enumerate(("time_ms,acc_z,acc_y,acc_x,label\n0,1,2,3,0\n10,1,2,3,walking\n20,1,2,3,\n200,1,2,3,1\n", "x,\"y\"\r\n1,-2.5e3\r\n",
                               "seconds_elapsed,time,a\n0.1,1700000000000000000,1\n0.2,1700000000100000000,nan\n")):
        put("readings_fuzz", str(i), table)
    for kind, form in itertools.product(("w", "w:gz"), (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT)):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode=kind, format=form) as tar:
            for name in ("a/b.txt", "x" * 90 + "/" + "y" * 60, "../z"):
                entry = tarfile.TarInfo(name)
                entry.size = 5
                tar.addfile(entry, io.BytesIO(b"hello"))
        put("tar_fuzz", f"{kind.replace(':', '')}{form}", file.getvalue())


def small_trace(compression, chunked, checksums):
    file = io.BytesIO()
    writer = Writer(file, chunk_size=400, compression=compression, use_chunking=chunked, enable_crcs=checksums)
    writer.start(profile="edgeprobe", library="seeds")
    inp = writer.register_channel("/model_input/in", "x-tensor", 0,
                                  {"dtype": "int8", "shape": "1,4,4,3", "scale": "0.5", "zero_point": "-1", "position": "0"})
    top = writer.register_channel("/model_output/out", "x-tensor", 0, {"dtype": "float32", "shape": "1,3", "position": "0"})
    raw = writer.register_channel("/raw_input/file", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "encoded"})
    record = writer.register_channel("/frame", "json", 0, {})
    writer.add_metadata("edgeprobe.trace", {"version": "1"})
    writer.add_metadata("edgeprobe.run", {"model": "net.tflite", "threads": "1"})
    for frame in range(6):
        for channel, data in ((inp, bytes(range(48))), (top, struct.pack("<3f", 1, frame, 3)), (raw, b"picture" * (frame + 1)),
                              (record, b'{"sample": "a/%d.png", "label": %d}' % (frame, frame))):
            writer.add_message(channel, log_time=frame, publish_time=frame, sequence=frame, data=data)
    writer.add_metadata("edgeprobe.frames", {"frames": "0-5", "chunks": "0-1 2-3 4-5"})
    writer.finish()
    return file.getvalue()


def traces():
    for i, (compression, chunked, checksums) in enumerate(itertools.product(CompressionType, (True, False), (True, False))):
        data = small_trace(compression, chunked, checksums)
        for target in ("trace_fuzz", "recover_fuzz"):
            put(target, f"python-{i}", data)
            put(target, f"python-{i}-cut", data[: len(data) * 2 // 3])
    for path in (ROOT / "tests" / "golden" / "trace").rglob("*.mcap"):
        for target in ("trace_fuzz", "recover_fuzz"):
            put(target, path.name, path.read_bytes())
    for i, text in enumerate((
            "{}", '{"sample": "cat/0001.png", "label": 3, "latency_ns": 1234, "sha256": "' + "ab" * 32 + '", "dropped": 2}',
            '{"sample":"a\\u00e9\\n\\"","label":null}', '{"begins_sequence":true,"label":1}', '{"x": {"y": [1, -2.5e3, true, "z"]}, "label": 1}', "0-9 12 14-20\n0-3 3-9 12-20", "5\n5",
            "/layer/a%25b\ndtype=int8;shape=1,4,4,2;scale=0.5,0.25;zero_point=0;axis=3;position=4;layer_type=CONV_2D",
            "/raw_input/camera\ndtype=uint8;shape=24;encoding=nv21;width=4;height=4;stride=4;matrix=bt709;range=full;rotation=90;mirrored=true",
            "/raw_input/f\ndtype=uint8;shape=-1;encoding=encoded", "/model_output/\ndtype=float32;shape=")):
        put("record_fuzz", str(i), text)


def tables():
    arrays = {"scores": RANDOM.normal(size=(3, 4)).astype(np.float32), "samples": np.array(["a/1.png", "b.png", "é"]), "labels": np.arange(3),
              "ok": np.array([True, False]), "half": np.float16(1.5), "bytes": np.array([b"x", b"yz"])}
    for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        file = io.BytesIO()
        save(file, **arrays)
        put("npz_fuzz", name, file.getvalue())
    for name, array in {**arrays, "fortran": np.asfortranarray(np.ones((2, 3))), "object": np.array([{}], object),
                        "big": np.ones(2, ">f4"), "records": np.zeros(2, [("a", "i4")])}.items():
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        put("npz_fuzz", f"{name}.npy", file.getvalue())
    for name, array in {"float": np.ones((2, 3), np.float32), "bool": np.array([True, False]), "whole": np.arange(4), "half": np.ones((1, 2), np.float16)}.items():
        tensor = numpy_helper.from_array(array, "x")
        put("onnx_tensor_fuzz", name, tensor.SerializeToString())
        tensor = helper.make_tensor("y", tensor.data_type, array.shape, array.ravel().tolist())  # stores the values in the typed fields
        tensor.data_location = TensorProto.EXTERNAL if name == "whole" else TensorProto.DEFAULT
        put("onnx_tensor_fuzz", f"{name}-typed", tensor.SerializeToString())
    for i, text in enumerate(("sample,label,cat,dog\na/1.png,0,0.5,0.5\n\"b,\"\"2.png\",,1e-3,nan\n", "file,x\n# c\n\nq,1\r\n", "sample,a\n\"")):
        put("scores_fuzz", str(i), text)
    for i, text in enumerate(("file,label\na.png,0\n\"b,c.png\",12\n", "label,x,file\r\n3,,q\r\n", "cat\ndog\n\n")):
        put("labels_fuzz", str(i), text)
    coco = {"images": [{"id": 1, "file_name": "a.jpg", "width": 40, "height": 30}, {"id": 2, "file_name": "b.jpg"}], "categories": [{"id": 3, "name": "cat"}],
            "annotations": [{"image_id": 1, "category_id": 3, "bbox": [1.5, 2, 10, 9], "area": 70, "iscrowd": 1, "segmentation": [[1, 2, 3, 4]]}]}
    body = {**coco, "annotations": [{"image_id": 1, "category_id": 3, "bbox": [1, 2, 10, 9], "keypoints": [4, 5, 2, 0, 0, 0]}]}
    for i, value in enumerate((coco, body)):
        put("annotations_fuzz", f"coco{i}", b"\x00" + json.dumps(value).encode())
        put("annotations_fuzz", f"coco-names{i}", b"\x04" + json.dumps(value).encode())
    for i, text in enumerate(("file,x0,y0,x1,y1,label,crowd,width,height\na,1,2,3,4,cat,1,9,9\nb,,,,,,,,\n", "file,anomaly\na,1\nb,0\n", "file,text\na,\"one, two\"\n",
                              "file,identity\na,x\nb,x\n", "file,mask\na,m.png\n", "file,label\na,1;2\n")):
        put("annotations_fuzz", f"table{i}", "\x01" + text)
    for name, array in {"boxes": [[0, 1, 2, 3, 4, 5]], "points": np.ones((2, 2, 3)), "masks": np.ones((2, 2, 2), np.uint8), "vectors": np.ones((2, 3), np.float32),
                        "anomalies": [0, 1], "identities": [4, 4], "labels": [3, 2]}.items():
        file = io.BytesIO()
        np.savez(file, samples=np.array(["a", "b"]), sizes=np.full((2, 2), 9), **{name: np.array(array)})
        put("annotations_fuzz", name, b"\x02" + file.getvalue())
    for i, text in enumerate(('boxes\n{"size":[9,9],"boxes":[[1,2,3,4,5,20,0,"cat"],[1,2,3,4,5,20,1]]}', 'mask\n{"size":[2,2],"runs":[0,3,255,1]}', "anomaly\ntrue", 'text\n"a b"',
                              'key_points\n{"size":[9,9],"poses":[{"box":[1,2,3,4],"area":5,"crowd":false,"points":[1,2,2]}]}', "vector\n[1,2.5]", 'identity\n"x"')):
        put("annotations_fuzz", f"record{i}", "\x03" + text)
    for i, text in enumerate(("reference,target\nconv1,\"a, b\"\n", "# c\na b\nc\td\n", "layer/*\nlayer/conv?1", "**/Relu6\nMobilenetV1/Conv2d_0/Relu6")):
        put("map_fuzz", str(i), text)


BEHIND = "output dequantize codes softmax sort skip topk threshold labels ids keypoints points mask colors".split()


def recipes():
    text = (ROOT / "docs" / "reference" / "recipes.md").read_text() + "\n" + (ROOT / "models" / "signs.recipe").read_text()
    found = set(re.findall(r"`([a-z_]+\([^`\n]*)`", text)) | set(re.findall(r"^([a-z_]+\(.*\|.*)$", text, re.M))
    found |= {f"resize(4x4) || {step}" for step in found if step.split("(")[0] in BEHIND} | {
        "dequantize | softmax | topk(5) | threshold(0.2) | labels(labels.txt, other=b.txt, shift=-1, order=as_text)",
        "output(0) | codes(sign=flipped) | sigmoid | share | skip(1) | sort(ascending) | percent",
        "dequantize | softmax | resize(picture, bilinear, align=corners, frame=letterbox_centered) | argmax(axis=first) | colors(c.txt)",
        "codes | keypoints(xy_s, model_pixels) | sigmoid | threshold(0.5) | labels(n.txt) | points(letterbox, cut)", "#ff8000\n1, 2, 3\n7\n"}
    for i, recipe in enumerate(sorted(found)):
        put("recipe_fuzz", str(i), recipe)


def recordings():
    samples = (3000 * np.sin(np.arange(900) / 9)).astype("<i2")
    for name, code, channels, bits, data in (("16", 1, 1, 16, samples.tobytes()), ("8", 1, 2, 8, samples.tobytes()[:600]),
                                             ("24", 1, 1, 24, samples.tobytes()[:900]), ("float", 3, 1, 32, (samples / 32768).astype("<f4").tobytes())):
        block = channels * bits // 8
        form = struct.pack("<HHIIHH", code, channels, 16000, 16000 * block, block, bits)
        more = struct.pack("<HHI", 22, bits, 0) + struct.pack("<H", code) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
        for kind, head in (("", form), ("-extensible", struct.pack("<H", 0xFFFE) + form[2:] + more)):
            body = b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(data)) + data
            put("wav_fuzz", name + kind, b"RIFF" + struct.pack("<I", len(body)) + body)


def messages():
    def text(value):
        return struct.pack("<Q", len(value)) + value

    def items(values):
        return struct.pack("<Q", len(values)) + b"".join(values)

    spec = text(b"input") + b"\0" + items([struct.pack("<q", d) for d in (1, 2, 2, 3)]) + items([struct.pack("<f", 0.5)]) + items(
        [struct.pack("<q", 3)]) + struct.pack("<i", 0)
    put("wire_fuzz", "spec", spec)
    put("wire_fuzz", "loaded", items([spec]) + items([spec, spec]) + items([text(b"xnnpack") + struct.pack("<ii", 3, 4) + items(
        [struct.pack("<i", op) for op in (0, 1, 3)])]) + items([text(b"a warning")]))
    put("wire_fuzz", "choice", text(b"litert:/lib/x.so") + b"\1")
    put("wire_fuzz", "identity", text(b"litert") + text(b"2.3.0") + text(b"/lib/x.so") + text(b"ab" * 32) + items([text(b"profile")]))
    options = (b'{"threads":2,"cpus":[0,3],"delegates":[{"kind":"external","library":"d.so","options":[["k",{"hex":"ff00"}]]}],'
               b'"precision":"engine","profile":true,"folder":"/m","input_shapes":[["input",[1,-4]]],"load_limit_ms":9,'
               b'"own":%s}')
    for i, own in enumerate((b"null", b'{"kernels":"builtin"}', b'{"optimization":"off","spinning":false}')):
        put("wire_fuzz", f"options-{i}", text(options % own))
    for i, target in enumerate(("litert", "tflite:/lib/a:b.so", "tcp://host:4050", "tls://[fe80::1%25eth0]:1", "kenning://10.0.0.2:12345",
                                "ssh://user@host", "ssh://host:22", "unix:/run/a b", "serial:/dev/ttyUSB0", "adb:emulator-5554", "adb:10.0.0.2:5555")):
        put("target_fuzz", str(i), target)
    put("wire_fuzz", "times", struct.pack("<q", 99) + items([struct.pack("<i", 1) + text(b"CONV_2D") + b"\0" + struct.pack("<q", 5)]))

    def short(value):
        return struct.pack("<I", len(value)) + value

    for i, said in enumerate((b'{"environment":"Python 3.11.2, tokenizers 0.23.3","sha256":"ab","edits":["case_kept"]}', b'{"why":"no such flag"}', b'{"words":["a",null]}',
                              b'{"ids":[[[1,2]],[[3],[]]]}', '{"text":"café"}'.encode(), struct.pack("<IQ", 3, 100))):
        put("tokenizer_fuzz", str(i), said)
    put("function_fuzz", "header", struct.pack("<IQ", 3, 100))
    put("function_fuzz", "hello", struct.pack("<IB", 1, 0) + short(b"Python 3.11, NumPy 2"))
    put("function_fuzz", "failure", short(b"ValueError: no"))
    put("function_fuzz", "answer", struct.pack("<I", 2) + short(b"resized") + short(b"uint8") + struct.pack("<IqqQ", 2, 2, 3, 6) + b"abcdef" +
        short(b"input") + short(b"float32") + struct.pack("<IqQ", 1, 2, 8) + b"12345678")


def microcontroller():
    sys.path.append(str(ROOT / "tests/mcu"))
    import wire
    line = wire.small_recording()
    put("receive_fuzz", "line", b"\0" + line)
    messages = [packet[5:-4] for _, _, packet in wire.packets(line)]
    put("receive_fuzz", "messages", b"\1" + b"".join(bytes([len(m)]) + m for m in messages))
    frame = struct.pack("<I", 0)
    others = [b"\2model\0net", b"\6" + frame + b"\0\0\0\x80\x3flux", b"\7" + frame + b"mode\0night", b"\x09" + bytes(8) + b"boot\0text",
              b"\x0a" + bytes(8) + b"\1" + struct.pack("<f", 9.75) + b"accelerometer\0m/s^2"]
    picture = b"\3" + struct.pack("<HBBBBBBhHHH", 1, 7, 5, 2, 2, 0, 0, -1, 90, 0, 0) + struct.pack("<2i", 2, 3) + b"camera\0\0"
    pixels = b"\5" + frame + struct.pack("<HI", 1, 0) + bytes(18)
    answers = [b"\x0c" + frame + b"faces\0\1" + struct.pack("<BBBBIIff", 3, 0, 1, 0, 12, 2, 1, 2),
               b"\x0c" + frame + b"\0\1" + struct.pack("<BBBBIII", 4, 0, 2, 0, 8, 0, 4)]
    put("receive_fuzz", "answers", b"\1" + b"".join(bytes([len(m)]) + m for m in [*messages[:3], messages[3], *answers, messages[-2]]))
    put("receive_fuzz", "others", b"\1" + b"".join(bytes([len(m)]) + m for m in [*messages[:3], picture, messages[3], *others, pixels, messages[-2]]))


def answers():
    """Messages of answers with each kind of part once: docs/reference/trace-format.md, "Answers"."""
    def part(kind, dtype, dims, values):
        body = struct.pack(f"<{len(dims)}I", *dims) + values
        return struct.pack("<BBBBI", kind, dtype, len(dims), 0, len(body)) + body

    def text(value):
        return struct.pack("<I", len(value)) + value

    parts = {"labels": part(1, 255, [2], text(b"cat") + text(b"d\xc3\xb6g")), "classes": part(2, 10, [2], struct.pack("<2q", 3, -1)),
             "scores": part(3, 0, [2], struct.pack("<2f", 0.75, float("nan"))), "boxes": part(4, 0, [2, 4], struct.pack("<8f", *range(8))),
             "mask": part(5, 5, [2, 3], bytes(range(6))), "points": part(6, 0, [1, 3], struct.pack("<3f", 1, 2, 0.5)),
             "vector": part(7, 0, [3], struct.pack("<3f", 1, 2, 3)), "score": part(8, 0, [], struct.pack("<f", 0.5)),
             "alarm": part(9, 12, [], b"\1"), "text": part(10, 255, [1], text(b"turn it on")), "later": part(77, 9, [9], b"anything")}
    for name, data in parts.items():
        put("answers_fuzz", name, b"\1" + data)
    put("answers_fuzz", "all", b"\1" + b"".join(parts.values()))
    put("answers_fuzz", "wide-mask", b"\1" + part(5, 8, [1, 2], struct.pack("<2i", -1, 300)))


def evidence():
    """The project's own evidence file, its manifest, and a stored archive with two values, whose hashes stand in the manifest."""
    path = ROOT / "tests/evidence/depthwise.zip"
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    put("evidence_fuzz", "whole", path.read_bytes())
    put("evidence_fuzz", "manifest", json.dumps(manifest))
    files = {"model.tflite": b"TFL3", "input_0.bin": b"\1\2", "expected_0.bin": b"\3\4"}
    for key in ("inputs", "expected"):
        manifest[key] = [dict(tensor, shape=[1, 2]) for tensor in manifest[key][:1]]
    manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    small = io.BytesIO()
    with zipfile.ZipFile(small, "w") as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
            archive.writestr(name, data)
    put("evidence_fuzz", "small", small.getvalue())


def contracts():
    lines = ["frame.input.max <= 1.0", "-1 <= frame.input('a b')[0].mean + 2 * 3 < 1e3", "frame.answer.label != \"cat\"", "(trace.latency_ms.p90 - 1) / 2 >= 0"]
    whole = {"edgeprobe_contract": 1, "learned_from": {"trace": "t.mcap"}, "recipe": "scale(0..1)",
             "inputs": {"x": {"dtype": "float32", "shape": [1, -1, 3], "range": [0, 1], "margin": 0.1, "mean": [0.5], "std": [0.1]}},
             "outputs": {"y": {"dtype": "int8", "shape": [], "range": [0, 1], "margin": 0, "probabilities": True}}, "stages": ["raw_input"], "states": ["a=b"],
             "answers": {"most_alike": 0.5, "metric": {"name": "top1_accuracy", "least": 0.9}, "parts": ["labels"], "items": [1, 2], "scores": [0, 1]},
             "latency_ms": {"median": 1, "p90": 2, "margin": 0.5, "measured_with": {"engine": "e"}}, "memory_mb": {"peak": 3, "margin": 0.25},
             "drift": {"margin": 1, "floor": 0.001, "layers": {"layer/a": 0.1}}, "assertions": lines, "python": ["a.py:f"]}
    put("contract_fuzz", "whole", json.dumps(whole))
    put("contract_fuzz", "newer", '{"edgeprobe_contract": 2}')
    for i, text in enumerate(lines):
        put("contract_fuzz", f"line{i}", text)


def scenarios():
    put("scenario_fuzz", "yaml", "kind: inference_client\nmodel:\n  file: a.tflite\n  state: [a=b, c=d]\ndataset: {data: d, labels: folders, frames: 3}\n"
        "recipe: 'scale(0..1)'\ncompiler: {to: int8, out: b.tflite}\nengine: {name: tflite, threads: 2, no_spinning: true, time_limit: 1.5}\n"
        "target: tcp://127.0.0.1:1\nreport: {folder: r, bench: true}\n")
    put("scenario_fuzz", "json", '{"kind": "inference_server", "engine": "tflite", "target": {"address": "unix:/s", "insecure": false, "idle_limit": 5}}')
    put("scenario_fuzz", "kenning", '{"model_wrapper": {"type": "a.TensorFlowImageNet", "parameters": {"model_path": "m.onnx"}}, "dataset": {"type": "PetDataset", '
        '"parameters": {"dataset_root": "r"}}, "optimizers": [{"type": "TVMCompiler", "parameters": {"target": "llvm", "compiled_model_path": "b.tar"}}]}')
    put("scenario_fuzz", "command", "python -m kenning.scenarios.inference_tester a.datasets.b.PetDataset --host 'x' --port=5 --model-path m.tflite")


def wire():
    """A generation, the size of the cuts, and a client's stream."""
    spec = json.dumps({"input": [{"name": "x", "shape": [1, 2], "dtype": "int8", "scale": 0.5, "zero_point": 1, "prequantized_dtype": "float32"}],
                       "output": [{"name": "y", "shape": [2], "dtype": "float32"}]}).encode()
    packed = struct.pack("<I2I8I4BI12I48I24B20s20s", 1, 2, 0, 1, 2, *[0] * 6, 2, 32, 0, 0, 1, 1, *[0] * 11, 2, *[0] * 47, 2, 32, *[0] * 22, b"main", b"net")
    for generation in range(5):
        def frame(number, payload=b"", flags=0x30):
            flags |= 8 if payload else 0
            if generation < 2:
                return struct.pack("<IH", len(payload) + 2, number) + payload
            if generation < 4:
                return struct.pack("<BBHI", number, 0, flags, len(payload)) + payload
            return struct.pack("<IBBHI", number, 0, 0, flags, len(payload)) + payload

        stream = frame(7, spec) + frame(3, b"model") + frame(2, b"1234") + frame(4) + frame(5) + frame(6)
        put("protocol_fuzz", f"session{generation}", bytes([generation, 6]) + stream)
        put("protocol_fuzz", f"parts{generation}", bytes([generation, 200]) + frame(2, b"12", 0x10) + frame(2, b"3", 0) + frame(2, b"4", 0x20))
        put("protocol_fuzz", f"serial{generation}", bytes([generation, 40]) + frame(7, packed) + frame(6, bytes(96)) + frame(13, b"\x02ab\x01c"))
        serve(generation, frame, spec)


def serve(generation, frame, spec):
    """Four bytes that select the kind of client (serve_fuzz.cc), and its stream."""
    values = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [values("x", TensorProto.INT8, [1, 4])], [values("y", TensorProto.INT8, [1, 4])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]).SerializeToString()
    sample = frame(2, b"1234") + frame(4) + frame(5)
    session = frame(3, model) + sample + frame(7, spec.replace(b"[1, 2]", b"[1, 4]")) + frame(2, struct.pack("<4f", -1, 0, 1.5, 99)) + frame(4) + frame(5) + frame(6)
    detected = 5 if generation < 2 else 6
    for kind in (generation, detected):
        put("serve_fuzz", f"session{generation}-{kind}", bytes([kind, 255, 0, 1]) + session)
        put("serve_fuzz", f"two-{generation}-{kind}", bytes([kind, 20, 0, 128]) + session + session)
    put("serve_fuzz", f"failing{generation}", bytes([generation, 255, 0, 3]) + frame(3, model) + frame(2, b"\xee234") + frame(4) + frame(4) + sample)
    put("serve_fuzz", f"wrong{generation}", bytes([generation, 255, 0, 0]) + frame(4) + frame(2, b"1") + frame(5) + frame(3, b"junk") + frame(7, b"{") + frame(30, b"?"))
    put("serve_fuzz", f"refused{generation}", bytes([7, 255, 0, 0]) + session)
    put("serve_fuzz", f"gone{generation}", bytes([generation, 255, 3, 0]) + session)
    if generation < 4:
        return

    def ask(kind, body=b"", request=iter(range(1, 1 << 20))):
        return frame(0x42525045, struct.pack("<IHH", next(request), kind, 0) + body)

    def text(value):
        return struct.pack("<Q", len(value)) + value

    digest = hashlib.sha256(model).digest()
    hello = ask(1, struct.pack("<I", 1) + text(b"seed") + text(b"onnx"))
    upload = ask(2, digest + struct.pack("<Q", len(model))) + ask(3, digest + bytes(8) + model[:50]) + ask(3, digest + struct.pack("<Q", 50) + model[50:])
    load = ask(4, digest + text(b"m.onnx") + text(b'{"threads": 2}'))
    work = ask(5, struct.pack("<II", 1, 1) + b"1234") + ask(5, struct.pack("<II", 1, 2) + b"12345678") + ask(6, struct.pack("<IQqB", 1, 3, 1000, 0) + b"1234")
    rest = ask(7, struct.pack("<I", 1)) + ask(9, struct.pack("<I", 9)) + ask(10, struct.pack("<q", 5)) + ask(8, struct.pack("<I", 1))
    for kind in (4, 5):
        put("serve_fuzz", f"extension-{kind}", bytes([kind, 255, 0, 0]) + hello + upload + load + work + rest)
        put("serve_fuzz", f"both-{kind}", bytes([kind, 255, 0, 4]) + hello + sample + upload + load + work[:60] + session)


def measurements():
    whole = {"target_inference_step": [0.1, 0.2], "target_inference_step_timestamp": [1, 2], "protocol_inference_step": [0.3, 0.4],
             "session_utilization_mem_percent": [5], "session_utilization_cpus_percent": [[1, 2]], "session_utilization_timestamp": [1],
             "session_utilization_gpu_utilization": [3], "session_utilization_gpu_timestamp": [1], "class_names": ["a", "b"],
             "eval_confusion_matrix": [[1, 2], [3, 4]], "top_5_count": 4, "total": 10, "eval_det/a": [[0.5, 1.0, 0.7]], "eval_gtcount/a": 2,
             "command": ["x"], "edgeprobe": {"facts": [{"name": "n", "value": "v"}], "not_measured": {"k": {"value": None, "why": "w"}}}}
    put("measurements_fuzz", "whole", json.dumps(whole))
    for key, value in whole.items():
        put("measurements_fuzz", key.replace("/", "_"), json.dumps({key: value, "total": 1}))


def plans():
    whole = json.loads((ROOT / "tests/golden/stretch/plan.json").read_text())
    whole["model"]["layers"] = []
    def one(name, **changed):
        put("plan_fuzz", name, json.dumps({**whole, **changed}, separators=(",", ":")))
    side = {"name": "side", "inputs": ["stem"], "outputs": ["side"]}
    other = {"name": "other", "inputs": ["all"], "outputs": ["other"]}
    merges = whole["merges"] + [{"tensor": "all", "slices": [{"tensor": "cat", "first": 0, "count": 64}, {"tensor": "side", "first": 64, "count": 8}]}]
    steps = whole["programs"][0]["steps"] + [{"run": "side"}, {"run": "other"}]
    one("whole")
    one("nested", pieces=whole["pieces"] + [side, other], merges=merges, programs=[{"processor": "cpu0", "steps": steps}, whole["programs"][1]])
    one("joined", pieces=[{"name": "p", "inputs": ["input"], "outputs": ["output", "other"]}], merges=[], programs=[{"processor": "cpu1", "steps": [{"run": "p"}]}])
    put("plan_fuzz", "newer", '{"edgeprobe_plan": 2}')


def devices():
    put("device_fuzz", "json", (ROOT / "tests/golden/stretch/device.json").read_text())
    put("device_fuzz", "yaml", "device: 1\nprocessors:\n  - name: big\n    engine: onnxruntime:/a.so\n    cpus: [0, 1]\n    threads: 2\n    emulated_slowdown: 1.5\n")
    put("device_fuzz", "quoted", "device: 1\nprocessors:\n- {name: 'a \"b\"', engine: \"x\\ty\", cpus: [3]}\n")
    put("device_fuzz", "newer", "device: 2")


def families():
    sys.path.insert(0, str(ROOT / "tests/family"))
    from configurations import drawn
    for seed in range(6):
        put("family_fuzz", str(seed), drawn(seed))
    put("family_fuzz", "short", "family: 1\nsize: 32\nprocessors: [a, b]\nblock: mbconv\nsqueeze: 0.25\nadapters: true\nstem: {type: small, width: 8}\nstages:\n"
                                "  - {stride: 2, joined: 16, multiplier: 6, branches: [{width: 8}, {width: 16, processor: a}]}\nhead: {width: 32}\n")
    header = b'{"a":{"dtype":"F16","shape":[1,1],"data_offsets":[0,2]},"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]}}'
    put("safetensors_fuzz", "two", len(header).to_bytes(8, "little") + header + bytes(10))


for make in (wire, models, splittable, pictures, traces, tables, recipes, recordings, messages, microcontroller, answers, evidence, contracts, scenarios, measurements, plans, devices, families):
    make()
for folder in sorted(OUT.iterdir()):
    if folder.is_dir():
        print(folder.name, len(list(folder.glob("seed-*"))))
