"""Makes a model pack of a text encoder in the format of sentence-transformers, if there is no ONNX export of it.

    pip install -r models/ready/requirements.txt
    python models/ready/export_text.py MODEL_FOLDER PACK_FOLDER READY [--texts FILE]

MODEL_FOLDER holds config.json, model.safetensors and tokenizer.json; READY is the manifest in this folder to take the pack's
settings from (all-minilm-l6-v2.json). Beside pack.json it writes expected.json: what torch makes of fifty texts (lines of FILE,
if given), with which `DRS_TEST_MINILM=PACK_FOLDER npx vitest run server/embedding/model/exported` compares drs.
"""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import torch
from transformers import AutoModel, PreTrainedTokenizerFast

own_texts = [
    f"{subject} {verb} {place}."
    for subject in ["The invoice for the third quarter", "A pump with two valves", "Stiff differential equations", "The harbour master", "An annual report"]
    for verb in ["is described", "was measured", "can be found"]
    for place in ["on page 12", "in chapter four of the manual, between the tables", "near the old lighthouse"]
] + ["Ports", "?", "What was the revenue in 2019?", "naïve café über", "long " * 400]


class Encoder(torch.nn.Module):
    """The model with its inputs in the order of the graph."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.model(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state


def export(model, graph):
    example = torch.ones(2, 16, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {0: torch.export.Dim("rows", min=1, max=64), 1: torch.export.Dim("tokens", min=2, max=512)}
    torch.onnx.export(
        Encoder(model).eval(),
        # The same tensor twice would become one input.
        (example, example.clone(), torch.zeros_like(example)),
        str(graph),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_shapes={name: axes for name in names},
        external_data=False,
    )


def embed(model, tokenizer, text, most):
    """Returns the mean over all tokens as a unit vector."""
    inputs = tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**inputs).last_hidden_state[0]
    return torch.nn.functional.normalize(hidden.mean(0), dim=0).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("pack", type=Path)
    parser.add_argument("ready", type=Path)
    parser.add_argument("--texts", type=Path)
    arguments = parser.parse_args()
    ready = json.loads(arguments.ready.read_text())
    [space] = [space for space in ready["pack"]["spaces"] if space["kind"] == "model"]
    most = space["towers"]["text"]["text"]["maxTokens"]

    model = AutoModel.from_pretrained(arguments.model, attn_implementation="eager").eval()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(arguments.model / "tokenizer.json"))
    graph = arguments.pack / "onnx/model.onnx"
    graph.parent.mkdir(parents=True, exist_ok=True)
    export(model, graph)
    shutil.copyfile(arguments.model / "tokenizer.json", arguments.pack / "tokenizer.json")

    files = [
        {"path": path, "bytes": (arguments.pack / path).stat().st_size, "sha256": hashlib.sha256((arguments.pack / path).read_bytes()).hexdigest()}
        for path in ["onnx/model.onnx", "tokenizer.json"]
    ]
    (arguments.pack / "pack.json").write_text(json.dumps({**ready["pack"], "files": files}, indent=2))
    texts = arguments.texts.read_text().splitlines() if arguments.texts else own_texts
    expected = [{"text": text, "vector": embed(model, tokenizer, text, most)} for text in texts]
    (arguments.pack / "expected.json").write_text(json.dumps(expected))
    print(f"{len(expected)} texts, {files[0]['bytes']:,} bytes of graph")


main()
