import { expect, test } from "vitest";
import { twinOf } from "./twin.ts";

test.each([
  ["async def get(self) -> None:", "def get(self) -> None:"],
  ["    answer = await self._caller.call(x)", "    answer = self._caller.call(x)"],
  ["async with aclosing(self._poll()) as states:", "with closing(self._poll()) as states:"],
  ["async for entry in entries:", "for entry in entries:"],
  ["from drs_client._aio.caller import AsyncCaller, retried", "from drs_client._sync.caller import Caller, retried"],
  ["from drs_client.gen.aio import AsyncJobs", "from drs_client.gen.sync import Jobs"],
  ["from collections.abc import AsyncIterator, Awaitable, Callable", "from collections.abc import Iterator, Callable"],
  ["work: Callable[[], Awaitable[T]],", "work: Callable[[], T],"],
  ["-> AsyncGenerator[tuple[str, types.Job], None]:", "-> Generator[tuple[str, types.Job], None, None]:"],
  ["async def __aexit__(self) -> None:", "def __exit__(self) -> None:"],
  ["awaiting asynchronous words stay", "awaiting asynchronous words stay"],
])("%s", (line, twin) => {
  expect(twinOf(line)).toBe(twin);
});
