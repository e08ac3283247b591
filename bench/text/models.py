# SPDX-License-Identifier: Apache-2.0
"""Four text classifiers and their tokenizers, all made here: synthetic sentences on four topics, a WordPiece, two BPE and a Unigram trained on them by
Hugging Face's `tokenizers`, and naive Bayes over tokens as an ONNX network that also reads positions and types.

    wordpiece: input_ids, attention_mask, token_type_ids (BERT's normaliser, CLS and SEP), int64
    bpe: input_ids, attention_mask, position_ids (Metaspace, BOS and EOS, case kept), int32
    bytes: input_ids, attention_mask, position_ids (GPT-2's byte-level BPE, a prefix, padding on the left, no special tokens), int64; held out, too
    unigram: input_ids, attention_mask (NFKC and lower case in the tokenizer, EOS alone), int64; held out: no rule was chosen by it
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, trainers
from tokenizers import models as kinds

LENGTH = 48
TOPICS = {
    "sport": "match goal team player coach league striker referee stadium penalty final season score keeper transfer Zürich Málaga".split(),
    "food": "café crème soup bread salad recipe dinner sauce cheese chef oven jalapeño menu taste butter purée brûlée".split(),
    "weather": "storm rain wind cloud sunshine forecast degrees snow frost humid thunder breeze fog drizzle El Niño".split(),
    "travel": "train airport hotel luggage ticket passport flight island Córdoba São Paulo platform delay boarding visa journey Łódź".split()}
COMMON = "the a this that we they you is was has been very quite not really about with from into after before near every some many".split()
SPECIAL = {"wordpiece": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "bpe": ["<pad>", "<s>", "</s>", "<unk>"], "unigram": ["<pad>", "</s>", "<unk>"], "bytes": ["<|endoftext|>"]}
#: The prefix that the byte-level model requires before each text.
PREFIX = "query: "
#: The recipes of the reference.
RECIPE = {"wordpiece": f"tokenize | special(cls=2, sep=3) | truncate({LENGTH}) | pad({LENGTH}) | mask | types",
          "bpe": f"tokenize | special(bos=1, eos=2) | truncate({LENGTH}) | pad({LENGTH}, id=0) | mask | positions(2, padding=1)",
          "unigram": f"tokenize | special(eos=1) | truncate({LENGTH}) | pad({LENGTH}) | mask",
          "bytes": f'prefix("query\\x3a ") | tokenize | truncate({LENGTH}) | pad({LENGTH}, side=left) | mask | positions(0, padding=1)'}
INPUTS = {"wordpiece": ("input_ids", "attention_mask", "token_type_ids"), "bpe": ("input_ids", "attention_mask", "position_ids"), "unigram": ("input_ids", "attention_mask"), "bytes": ("input_ids", "attention_mask", "position_ids")}
DTYPE = {"wordpiece": np.int64, "bpe": np.int32, "unigram": np.int64, "bytes": np.int64}


def sentence(random, topic, words):
    out = []
    for _ in range(words):
        word = str(random.choice(TOPICS[topic] if random.random() < 0.45 else COMMON))
        roll = random.random()
        word = word.upper() if roll < 0.04 else word.capitalize() if roll < 0.12 else word
        out.append(word + ("," if random.random() < 0.08 else ""))
    return " ".join(out).capitalize() + str(random.choice([".", "!", "?"]))


def corpus(seed, count):
    """(texts, topics) of ordinary sentences."""
    random = np.random.default_rng(seed)
    topics = [int(random.integers(len(TOPICS))) for _ in range(count)]
    return [sentence(random, list(TOPICS)[t], int(random.integers(5, 26))) for t in topics], topics


def telling(seed, count):
    """Texts as users write them: capitals, accents, blanks, line feeds, signs; short and longer than the limit."""
    random = np.random.default_rng(1000 + seed)
    texts, topics = [], []
    for i in range(count):
        topic = int(random.integers(len(TOPICS)))
        text = sentence(random, list(TOPICS)[topic], 70 if i % 3 == 0 else int(random.integers(4, 14)))
        text = text.replace(" ", "  ", 1) + (" 東京 naïve ﬁne e\u0301t\u0301" if i % 2 == 0 else " Ｏｋ “quoted” – done")
        texts.append((" " if i % 2 else "") + text + ("\nSecond LINE here. " if i % 4 != 3 else "\tEnd "))
        topics.append(topic)
    return texts, topics


def pairs(seed, count):
    a, topics = telling(seed, count)
    b, _ = telling(seed + 500, count)
    return [(x[:60], y) for x, y in zip(a, b)], topics


def tokenizer(name, seed=1):
    texts, _ = corpus(seed, 1500)
    if name == "wordpiece":
        made = Tokenizer(kinds.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=True)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=SPECIAL[name], show_progress=False)
    elif name == "unigram":
        made = Tokenizer(kinds.Unigram())
        made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=700, special_tokens=SPECIAL[name], unk_token="<unk>", show_progress=False)
    elif name == "bytes":
        made = Tokenizer(kinds.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=SPECIAL[name], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
        texts = [PREFIX + text for text in texts]
    else:
        made = Tokenizer(kinds.BPE(unk_token="<unk>"))
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        made.decoder = decoders.Metaspace(prepend_scheme="always")
        trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=SPECIAL[name], show_progress=False)
    extra = ["CAFÉ ÉTÉ Å À naïve", "e\u0301 t\u0301 \u0301", "東京 你好 “quoted” – é è à ñ", "\\n \\u00e9 \\ u0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ﬁ Ｏｋ Ã ©", "\n \t"]
    made.train_from_iterator(texts + extra * 4, trainer)
    return made


def classifier(name, made, path):
    """Naive Bayes: log p(token | topic), more for earlier positions; types and positions change it slightly."""
    texts, topics = corpus(2, 2000)
    size, count = made.get_vocab_size() + 8, len(TOPICS)
    seen = np.ones((size, count))
    for text, topic in zip(texts, topics):
        np.add.at(seen, (made.encode(text, add_special_tokens=False).ids, topic), 1)
    table = np.log(seen / seen.sum(0))
    table = 0.12 * (table - table.mean(1, keepdims=True))  # Less certain, so that a fault changes its answers.
    special = len(SPECIAL[name])
    table[:special] = np.random.default_rng(3).normal(0, 0.3, (special, count))
    places = (1.4 * np.exp(-np.arange(LENGTH + 16) / 60) * (1 + 0.5 * np.sin(np.arange(LENGTH + 16) * 2.1)))[:, None]
    types = np.array([[0, 0, 0, 0], [0.4, -0.3, 0.2, -0.3]])
    kind = TensorProto.INT64 if DTYPE[name] == np.int64 else TensorProto.INT32
    node, value = helper.make_node, helper.make_tensor_value_info
    stored = {"table": table}
    nodes = [node("Gather", ["table", "input_ids"], ["words"])]
    if name == "wordpiece":
        stored |= {"row": places[:LENGTH][None], "types": types}
        nodes += [node("Mul", ["words", "row"], ["placed"]), node("Gather", ["types", "token_type_ids"], ["of_type"]), node("Add", ["placed", "of_type"], ["all"])]
    elif name == "unigram":
        stored["row"] = places[:LENGTH][None]
        nodes += [node("Mul", ["words", "row"], ["all"])]
    else:
        stored["places"] = places
        nodes += [node("Gather", ["places", "position_ids"], ["row"]), node("Mul", ["words", "row"], ["all"])]
    nodes += [node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT), node("Unsqueeze", ["mask", "last"], ["column"]), node("Mul", ["all", "column"], ["kept"]),
              node("ReduceSum", ["kept", "axis"], ["logits"], keepdims=0), node("Softmax", ["logits"], ["scores"], axis=1)]
    arrays = [numpy_helper.from_array(np.asarray(one, np.float32), key) for key, one in stored.items()]
    arrays += [numpy_helper.from_array(np.array([at], np.int64), key) for key, at in (("last", 2), ("axis", 1))]
    graph = helper.make_graph(nodes, "topics", [value(i, kind, [1, LENGTH]) for i in INPUTS[name]], [value("scores", TensorProto.FLOAT, [1, count])], arrays)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def write(name, folder):
    """(model, tokenizer.json) in `folder`."""
    folder = pathlib.Path(folder)
    made = tokenizer(name)
    made.save(str(folder / f"{name}.json"))
    classifier(name, made, folder / f"{name}.onnx")
    return folder / f"{name}.onnx", folder / f"{name}.json"
