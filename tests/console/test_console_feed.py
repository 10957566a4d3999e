"""What happens, told to the pages that are open."""

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.responses import StreamingResponse

from daemon.console.feed import Feeds, Put


class Page:
    """A page that listens, and takes what is sent only when it is asked to."""

    def __init__(self, feeds: Feeds) -> None:
        self.put: Put
        self.gone = False
        response = feeds.feed(self._subscribed)
        self.status = response.status_code
        if isinstance(response, StreamingResponse):
            assert isinstance(response.body_iterator, AsyncIterator)
            self.stream = response.body_iterator

    def _subscribed(self, put: Put) -> Callable[[], None]:
        self.put = put
        return self._end

    def _end(self) -> None:
        self.gone = True

    async def next(self) -> object:
        return await anext(self.stream, None)


async def listening(feeds: Feeds) -> Page:
    page = Page(feeds)
    assert await page.next() == ":\n\n"
    return page


async def test_each_line_of_what_is_told_is_one_of_its_own() -> None:
    page = await listening(Feeds())
    page.put("<p>one</p>\n<p>two\r</p>")
    assert await page.next() == "data: <p>one</p>\ndata: <p>two\ndata: </p>\n\n"


async def test_a_page_that_takes_nothing_is_let_go() -> None:
    page = await listening(Feeds())
    for number in range(100):
        page.put(str(number))
    assert await page.next() is None
    assert page.gone


async def test_there_are_only_so_many_pages_and_all_end_with_the_server() -> None:
    feeds = Feeds()
    pages = [await listening(feeds) for _ in range(32)]
    assert Page(feeds).status == 503
    waiting = [asyncio.ensure_future(page.next()) for page in pages]
    feeds.end()
    assert await asyncio.gather(*waiting) == [None] * 32
    assert all(page.gone for page in pages)
    await listening(feeds)
