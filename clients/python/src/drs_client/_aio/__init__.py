"""The client for asyncio. The one without asyncio is generated from these modules, except for `runtime.py`."""
