"""The client without asyncio: generated from the modules for it, except for `runtime.py`."""
