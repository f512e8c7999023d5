"""Uploads with Python's own client; see ../clients.ts for what is asked and answered."""

import sys
import urllib.error
import urllib.request

BOUNDARY = "refused"
PIECE = b"x" * 65536


def head(fields):
    lines = []
    for pair in fields.split("&"):
        name, value = pair.split("=", 1)
        lines.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n')
    lines.append(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n'
    )
    return "".join(lines).encode()


def pieces(fields, size):
    yield head(fields)
    for _ in range(size // len(PIECE)):
        yield PIECE
    yield f"\r\n--{BOUNDARY}--\r\n".encode()


for line in sys.stdin:
    url, key, sending, size, fields = line.rstrip("\n").split("\t")
    body = pieces(fields, int(size))
    request = urllib.request.Request(
        url,
        data=b"".join(body) if sending == "length" else body,
        headers={"x-api-key": key, "content-type": f"multipart/form-data; boundary={BOUNDARY}"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request) as answer:
            print(answer.status, answer.read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode())
    except Exception as error:
        print("broken", repr(error))
