"""The client without asyncio: made of the modules for it, except for `runtime.py`."""
