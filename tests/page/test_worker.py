"""The worker of the page: every task ends with one message, whenever it is stopped."""

from __future__ import annotations

import time

from counterplay.page.jobs import Worker
from tests.support.naps import nap


def test_every_task_ends_with_one_message_whenever_it_is_stopped() -> None:
    """Before it has begun, in the middle, and when it is over."""
    worker, kinds = Worker(), []
    try:
        for number in range(60):
            worker.pipe.send(nap(number, 0.002))
            time.sleep(0.0001 * number)
            worker.stop()
            assert worker.pipe.poll(20.0)
            message = worker.pipe.recv()
            kinds.append(message.kind)
            assert message.kind == "refused" or message.facts == {"number": number}
            assert not worker.pipe.poll(0.0)
    finally:
        ended = worker.end()
    assert set(kinds) <= {"done", "refused"}
    assert ended == "by signal 15"
