"""The client for asyncio. What works without it is made of these modules, except for `runtime.py`."""
