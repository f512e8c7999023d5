"""Prints what pyarrow finds in the part of features that the words name, as JSON; the decoder of codes is that of the docs."""

import json
import sys

import numpy as np
import pyarrow as pa
from decoder import decode

table = pa.ipc.open_file(sys.argv[1]).read_all()


def vectors_of(column: str) -> list[list[list[float | None]] | None]:
    size = table.schema.field(column.replace(".codes", ".first")).type.list_size
    decoded = [None if codes is None else decode(codes, size) for codes in table[column].to_pylist()]
    return [None if page is None else np.where(np.isnan(page), None, page).tolist() for page in decoded]


def values_of(column: str) -> list[object]:
    return vectors_of(column) if column.endswith(".codes") else table[column].to_pylist()


metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
columns = {name: {"type": str(table.schema.field(name).type), "values": values_of(name)} for name in table.column_names}
print(json.dumps({"metadata": metadata, "columns": columns}, default=float, allow_nan=False))
