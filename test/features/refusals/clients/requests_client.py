"""Uploads with requests; see ../clients.ts for what is asked and answered."""

import sys

import requests

PIECE = b"x" * 65536


def form(fields, size):
    """The same as requests makes of files, as it goes."""
    for pair in fields.split("&"):
        name, value = pair.split("=", 1)
        yield f'--refused\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    yield b'--refused\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n'
    for _ in range(size // len(PIECE)):
        yield PIECE
    yield b"\r\n--refused--\r\n"


with requests.Session() as session:
    for line in sys.stdin:
        url, key, sending, size, fields = line.rstrip("\n").split("\t")
        try:
            if sending == "length":
                answer = session.post(
                    url,
                    headers={"x-api-key": key},
                    data=dict(pair.split("=", 1) for pair in fields.split("&")),
                    files={"file": ("a.pdf", b"%PDF-1.7\n" + b"x" * int(size))},
                )
            else:
                answer = session.post(
                    url,
                    headers={"x-api-key": key, "content-type": "multipart/form-data; boundary=refused"},
                    data=form(fields, int(size)),
                )
            print(answer.status_code, answer.text)
        except Exception as error:
            print("broken", repr(error))
