"""The results of models of each family for a few texts and pictures, computed without drs.

Preparation is done with what the models' own pipelines are built on (Pillow, `tokenizers`), the rest in numpy; the graphs
are tiny and their weights come from a formula, so that `server/embedding/model/testing/graphs.ts` can build the same ones.

    pip install numpy pillow==13.0.0 scipy tokenizers
    python models/ready/reference.py [--tokenizers]

writes server/embedding/model/testing/reference.json (format it: oxfmt); with --tokenizers also words.json and pieces.json beside it, on which
the numbers depend.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.cluster.hierarchy import fcluster, linkage
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

folder = Path(__file__).parents[2] / "server/embedding/model/testing"
given = json.loads((folder / "cases.json").read_text())
resamplings = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
most_pooled = 38


def make_tokenizers():
    """Makes a WordPiece tokenizer like BERT's and a Unigram tokenizer like Gemma's, small enough for the repository."""
    lines = given["texts"] + ["search_document: search_query: Instruct: find the page\nQuery: User: Describe the image.\nAssistant:"]
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer(lowercase=True)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    )
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    words.enable_padding(length=7)
    words.enable_truncation(5)
    words.save(str(folder / "words.json"))

    pieces = Tokenizer(models.Unigram())
    pieces.normalizer = normalizers.NFKC()
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces.train_from_iterator(
        lines, trainers.UnigramTrainer(vocab_size=160, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>")
    )
    grid = [f"<row_{row}_col_{column}>" for row in range(1, 5) for column in range(1, 5)]
    markers = ["<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *grid]
    pieces.add_special_tokens([AddedToken(marker, normalized=False) for marker in markers])
    pieces.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    pieces.save(str(folder / "pieces.json"))


def weights(seed, *shape):
    index = np.arange(math.prod(shape), dtype=np.float64)
    return np.sin(seed + 0.37 * index + 0.001 * index * index).reshape(shape).astype(np.float32).astype(np.float64)


def picture(number):
    """Computes bytes with whole numbers, so that nothing depends on rounding."""
    size = given["pictures"][number]
    y, x, c = np.meshgrid(np.arange(size["height"]), np.arange(size["width"]), np.arange(3), indexing="ij")
    return ((x * x * 3 + y * (7 + 5 * c) + x * y * (c + 1) + 40 * c) % 256).astype(np.uint8)


def resized(pixels, width, height, resampling):
    return np.asarray(Image.fromarray(pixels).resize((width, height), resamplings[resampling]))


def fitted(pixels, settings):
    """The views, and their grid."""
    width, height = settings["size"]["width"], settings["size"]["height"]
    fit, how = settings["fit"], settings["resampling"]
    if fit["mode"] == "squash":
        return [resized(pixels, width, height, how)], (0, 0)
    h, w = pixels.shape[:2]
    if fit["mode"] == "shortest-side-crop":
        side = fit["side"]
        new_w, new_h = (side, int(side * h / w)) if w <= h else (int(side * w / h), side)
        whole = resized(pixels, new_w, new_h, how)
        top, left = (new_h - height) // 2, (new_w - width) // 2
        return [whole[top : top + height, left : left + width]], (0, 0)
    if fit["mode"] == "longest-side-pad":
        scale = min(width / w, height / h)
        new_w, new_h = max(1, round(w * scale)), max(1, round(h * scale))
        canvas = np.empty((height, width, 3), np.uint8)
        canvas[:] = fit["fill"]
        top, left = ((height - new_h) // 2, (width - new_w) // 2) if fit["place"] == "centre" else (0, 0)
        canvas[top : top + new_h, left : left + new_w] = resized(pixels, new_w, new_h, how)
        return [canvas], (0, 0)
    # Idefics 3: the longer side to longSide, the other even; then up to whole tiles; then the whole in one tile.
    long = fit["longSide"]
    new_w, new_h = (long, int(long / (w / h))) if w >= h else (int(long * (w / h)), long)
    new_w, new_h = (new_w, new_h + new_h % 2) if w >= h else (new_w + new_w % 2, new_h)
    first = resized(pixels, new_w, new_h, how)
    if new_w >= new_h:
        full_w = math.ceil(new_w / width) * width
        full_h = math.ceil(int(full_w / (new_w / new_h)) / width) * width
    else:
        full_h = math.ceil(new_h / width) * width
        full_w = math.ceil(int(full_h * (new_w / new_h)) / width) * width
    second = resized(first, full_w, full_h, how)
    rows, columns = full_h // width, full_w // width
    tiles = [
        second[r * width : (r + 1) * width, c * width : (c + 1) * width] for r in range(rows) for c in range(columns)
    ]
    return [*tiles, resized(second, width, width, how)], (rows, columns)


def pixel_values(view, settings):
    values = view[:, :, ::-1] if settings["channels"] == "BGR" else view
    values = (values * settings["rescale"] - np.array(settings["mean"])) / np.array(settings["std"])
    return values.transpose(2, 0, 1) if settings["layout"] == "NCHW" else values


class Text:
    def __init__(self, settings):
        self.settings = settings
        self.tokenizer = Tokenizer.from_file(str(folder / settings["tokenizer"]))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def ids(self, text, special=False):
        return self.tokenizer.encode(text, add_special_tokens=special).ids

    def row(self, text):
        """Returns ids and roles, truncated if the text is too long."""
        prepared = self.settings["prefix"] + text
        prepared = prepared.lower() if self.settings["lowercase"] else prepared
        return self.framed([("text", one) for one in self.ids(prepared)])

    def framed(self, content):
        s = self.settings
        suffix = [("suffix", one) for one in self.ids(s["suffix"])]
        plain, special = self.ids("a"), self.ids("a", True)
        before = special.index(plain[0]) if s["specialTokens"] else 0
        head = [("special", one) for one in special[:before]]
        tail = [("special", one) for one in special[before + len(plain) :]] if s["specialTokens"] else []
        room = s["maxTokens"] - len(head) - len(tail) - len(suffix)
        return [*head, *content[:room], *suffix, *tail]

    def parts(self, text, size):
        prefix = self.ids(self.settings["prefix"].strip()) if self.settings["prefix"] else []
        content = self.ids(self.settings["prefix"] + text)[len(prefix) :]
        overlap = size["tokens"] - size["step"]
        if len(content) <= size["tokens"]:
            return []
        count = min(size["most"], math.ceil((len(content) - overlap) / size["step"]))
        content = content[: size["most"] * size["step"] + overlap]
        return [
            self.framed([("prefix", one) for one in prefix] + [("text", one) for one in content[at : at + size["tokens"]]])
            for at in range(0, count * size["step"], size["step"])
        ]

    def padded(self, row):
        """Ids and mask of the full length; the padding that `longest` adds in a batch is hidden by the mask."""
        s = self.settings["padding"]
        missing = self.settings["maxTokens"] - len(row) if s["to"] == "fixed" else 0
        ids, mask = [one for _, one in row], [1] * len(row)
        if s["side"] == "left":
            return [s["id"]] * missing + ids, [0] * missing + mask
        return ids + [s["id"]] * missing, mask + [0] * missing


def encoder(graph, ids, mask):
    """Embeddings and half their masked mean: a stand-in for attention."""
    width, seed = graph["width"], graph["seed"]
    hidden = weights(seed, given["vocabulary"], width)[ids] + weights(seed + 0.5, 2, width)[0]
    mask = np.array(mask, np.float64)[:, None]
    return hidden + 0.5 * (hidden * mask).sum(0) / mask.sum()


def text_graph(graph, ids):
    table = weights(graph["seed"], given["vocabulary"], graph["width"])
    places = weights(graph["seed"] + 0.25, graph["length"], 1)
    return (table[ids] * places[: len(ids)]).sum(0)


def vision_graph(graph, values):
    return values.reshape(-1) @ weights(graph["seed"] + 0.75, values.size, graph["width"])


def colpali(graph, ids, views):
    """Puts the vectors of a tile into its placeholders, in order, and adds half of their mean to all tokens."""
    width = graph["width"]
    hidden = weights(graph["seed"], given["vocabulary"], width)[ids]
    per_view = 3 * graph["size"] ** 2
    table = weights(graph["seed"] + 0.75, per_view, width * graph["perTile"])
    seen = np.concatenate([(view.reshape(-1) @ table).reshape(graph["perTile"], width) for view in views])
    image = Tokenizer.from_file(str(folder / "pieces.json")).token_to_id("<image>")
    for number, at in enumerate([at for at, one in enumerate(ids) if one == image]):
        hidden[at] += seen[number]
    return hidden + 0.5 * hidden.mean(0)


def finished(vector, output, dimensions):
    vector = np.array(vector, np.float64)
    if output["layerNorm"]:
        vector = (vector - vector.mean()) / np.sqrt(vector.var() + 1e-5)
    vector = vector[:dimensions]
    return vector / np.linalg.norm(vector) if output["normalisation"] == "l2" else vector


def pooled(hidden, row, start, output):
    kept = [at for at, (role, _) in enumerate(row) if role not in output["drop"]["roles"]]
    own = hidden[start : start + len(row)]
    return {"mean": lambda: [own[kept].mean(0)], "cls": lambda: [own[0]], "last": lambda: [own[-1]], "multi": lambda: list(own[kept])}[
        output["pooling"]
    ]()


def of_row(case, tower, text, row):
    graph, output = case["graphs"][tower["graph"]], tower["output"]
    ids, mask = text.padded(row)
    if graph["kind"] in ("text", "both"):
        vectors = [text_graph(graph, ids)]
    elif graph["kind"] == "encoder":
        start = len(ids) - len(row) if text.settings["padding"]["side"] == "left" else 0
        vectors = pooled(encoder(graph, ids, mask), row, start, output)
    else:
        vectors = pooled(colpali(graph, ids, [np.zeros(3 * graph["size"] ** 2)]), row, 0, output)
    return [finished(vector, output, case["space"]["dimensions"]) for vector in vectors]


def of_text(case, use, given_text):
    tower = case["space"]["towers"][use["tower"]]
    text = Text(tower["text"])
    rows = [text.row(given_text)]
    if "parts" in use:
        rows += text.parts(given_text, use["parts"])
    return [vector for row in rows for vector in of_row(case, tower, text, row)]


def of_picture(case, use, pixels):
    tower = case["space"]["towers"][use["tower"]]
    graph, output, image = case["graphs"][tower["graph"]], tower["output"], tower["image"]
    views, (rows, columns) = fitted(pixels, image)
    values = [pixel_values(view, image) for view in views]
    if graph["kind"] != "colpali":
        return [finished(vision_graph(graph, values[0]), output, case["space"]["dimensions"])]
    prompt = tower["prompt"]
    image_tokens = prompt["placeholder"]["token"] * prompt["placeholder"]["perTile"]
    text = ""
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            text += f"<fake_token_around_image><row_{row}_col_{column}>" + image_tokens
        text += "\n"
    text += "\n<fake_token_around_image><global-img>" + image_tokens + "<fake_token_around_image>"
    ids = Tokenizer.from_file(str(folder / "pieces.json")).encode(prompt["text"].replace("{image}", text)).ids
    return [finished(vector, output, case["space"]["dimensions"]) for vector in colpali(graph, ids, values)]


def clusters(vectors):
    """Returns the means of Ward's clusters, in the order of their first vectors."""
    if len(vectors) <= most_pooled:
        return vectors
    labels = fcluster(linkage(np.array(vectors), "ward"), most_pooled, "maxclust")
    means = [np.mean([v for v, other in zip(vectors, labels) if other == label], 0) for label in dict.fromkeys(labels)]
    return [mean / np.linalg.norm(mean) for mean in means]


def as_lists(vectors):
    return [[round(float(value), 7) for value in vector] for vector in vectors]


def main():
    if "--tokenizers" in sys.argv:
        make_tokenizers()
    cases = {}
    for name, case in given["cases"].items():
        space, result = case["space"], {}
        if "words" in space["page"]:
            result["words"] = [as_lists(of_text(case, space["page"]["words"], text)) for text in given["texts"]]
        if "picture" in space["page"]:
            pictures = [of_picture(case, space["page"]["picture"], picture(n)) for n in range(len(given["pictures"]))]
            result["pictures"] = [as_lists(vectors) for vectors in pictures]
            if space["scoring"] == "max-sim":
                result["pooled"] = [as_lists(clusters(vectors)) for vectors in pictures]
        if "text" in space["query"]:
            result["queries"] = [as_lists(of_text(case, space["query"]["text"], text)) for text in given["texts"]]
        cases[name] = result
    sizes = [(20, 9), (50, 30), (17, 75), (100, 111)]
    resamples = [
        {"resampling": how, "width": w, "height": h, "data": resized(picture(0), w, h, how)[::7, ::5].reshape(-1).tolist()}
        for how in resamplings
        for w, h in sizes
    ]
    (folder / "reference.json").write_text(json.dumps({"cases": cases, "resamples": resamples}) + "\n")


main()
