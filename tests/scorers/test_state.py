"""What a link scorer has learned is kept and read again, and its scores are the same to the last bit."""

import random
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from crawler.discovery.index_files import Kind
from crawler.records import Ended, JudgedPage, Outcome, Outlink
from crawler.scorers import state
from crawler.scorers.base import LinkScorer
from crawler.scorers.registry import SCORERS, crawl_scorer
from crawler.scorers.state import NoForm, packed, unpacked, with_checksum
from crawler.store.compression import Codec
from tests.scorers.test_contract import crawl, page


def lessons(seed: int = 1, pages: int = 120) -> list[JudgedPage | Ended]:
    """A crawl with index files, pages that are visited again, and URLs that end or lead elsewhere."""
    chance = random.Random(seed)
    found: list[JudgedPage | Ended] = []
    for judged in crawl(pages, seed=seed):
        kind = chance.choice(["", "", "", "", Kind.FEED, Kind.SITEMAP])
        if judged.outlinks and chance.random() < 0.3:  # as pages declare them
            found_there = replace(judged.outlinks[-1].link, index_kind=Kind.FEED, rel="alternate")
            judged = replace(judged, outlinks=(*judged.outlinks[:-1], Outlink(found_there)))
        found.append(replace(judged, index_kind=kind, repeats=chance.random() < 0.1))
        if chance.random() < 0.1:
            found.append(replace(judged, again=True))
        if judged.outlinks and chance.random() < 0.2:
            url = judged.outlinks[0].link.url
            outcome = chance.choice([Outcome.FAILED, Outcome.REDIRECT])
            found.append(Ended(url, outcome, f"{url}/new" if outcome is Outcome.REDIRECT else ""))
    return found


def told(scorer: LinkScorer, some: list[JudgedPage | Ended]) -> list[dict[str, float]]:
    scores = []
    for lesson in some:
        if isinstance(lesson, JudgedPage):
            scores.append(dict(scorer.observe(lesson)))
        else:
            scorer.observe_end(lesson)
        scores.append(dict(scorer.refresh()))
    return scores


def again(scorer: LinkScorer) -> LinkScorer:
    return unpacked(packed(scorer))


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_goes_on_as_if_it_had_never_ended(name: str) -> None:
    every, place = lessons(), 100
    without, kept = crawl_scorer(name), crawl_scorer(name)
    told(without, every[:place])
    told(kept, every[:place])
    kept = again(kept)
    assert kept.name == name
    assert told(kept, every[place:]) == told(without, every[place:])


@settings(max_examples=15)
@given(st.integers(0, 1000), st.lists(st.integers(0, 130), max_size=3))
def test_the_default_wherever_it_is_cut(seed: int, cuts: list[int]) -> None:
    """Also where a fit has begun whose models do not count yet."""
    without, kept = crawl_scorer("ipagerank-learned"), crawl_scorer("ipagerank-learned")
    for number, lesson in enumerate(lessons(seed)):
        if number in cuts:
            kept = again(kept)
        assert told(kept, [lesson]) == told(without, [lesson])


def test_one_of_ones_own_is_taught_again() -> None:
    class Own(LinkScorer):
        name = "own"

        def observe(self, page: JudgedPage) -> dict[str, float]:
            return {}

    with pytest.raises(NoForm, match="Own"):
        packed(Own())


@pytest.mark.parametrize(
    "name", ["os:system", "crawler.scorers.state:np", "crawler.clock:Clock", "crawler.scorers.base:Callable"]
)
def test_bytes_of_a_stranger_make_no_object_of_another_kind(name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "_name", lambda kind: name)
        data = packed(crawl_scorer("bfs"))
    with pytest.raises(ValueError, match=name):
        unpacked(data)


@given(st.integers(0), st.integers(1, 255))
@settings(max_examples=30)
def test_damage_is_seen(place: int, change: int) -> None:
    """As it is stored, compressed, where some bits mean nothing."""
    whole = packed(crawl_scorer("bfs"))
    data = bytearray(Codec().pack(whole))
    data[place % len(data)] ^= change
    try:
        content = Codec().unpack(bytes(data))
    except Exception:  # of zstd's own
        return
    if content != whole:
        with pytest.raises(ValueError, match="checksum"):
            unpacked(content)


def test_compressed_arrays_are_refused() -> None:
    """A few bytes can hold gigabytes."""
    stream = BytesIO()
    np.savez_compressed(stream, tree=np.zeros(1_000_000))
    with pytest.raises(ValueError, match="compressed"):
        unpacked(with_checksum(stream.getvalue()))


@pytest.mark.parametrize("tree", ['[{"ndarray":"0"},{"ndarray":"0"}]', '{"tuple":[{"scalar":"0"},{"bytearray":"0"}]}'])
def test_an_array_counts_once(tree: str) -> None:
    """Or a few bytes could name a large one a hundred thousand times."""
    stream = BytesIO()
    np.savez(stream, **{"tree": np.frombuffer(tree.encode(), np.uint8), "0": np.zeros(9)})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="twice"):
        unpacked(with_checksum(stream.getvalue()))


def test_an_unknown_form_is_refused() -> None:
    stream = BytesIO()
    np.savez(stream, tree=np.frombuffer(b'{"_init__": {}}', np.uint8))
    with pytest.raises(ValueError, match="not a form"):
        unpacked(with_checksum(stream.getvalue()))


def test_text_that_is_no_utf8_survives() -> None:
    scorer = crawl_scorer("ipagerank-learned")
    scorer.observe(page("http://a.example/\udc80"))
    assert again(scorer).chance("http://a.example/\udc80", 0.0) == scorer.chance("http://a.example/\udc80", 0.0)
