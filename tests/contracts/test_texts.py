"""Short texts are the shell's notation of records: both directions are inverse, and what does not fit is one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.errors import UnknownError
from counterplay.texts.grammar import bracketed, cut, key_text, part_text, parts, split_pairs, split_words
from counterplay.texts.readers import Flat, Head, OneOf, Positive, Real, Share, Whole, number_text
from counterplay.texts.record import Record, RecordKind

TREES: RecordKind[Record] = RecordKind("tree", Record)


@dataclass(frozen=True)
class Oak(Record):
    """No fields."""

    HEAD = "oak"


@dataclass(frozen=True)
class Pine(Record):
    """Optional words."""

    HEAD = "pine"
    seed: Annotated[int | None, Whole(what="the seed")] = None
    height: Annotated[float, Positive()] = 1.0


@dataclass(frozen=True)
class Fruit(Record):
    """Several names."""

    name: Annotated[str, Head(words=("apple", "pear"))]
    ripe: Annotated[float, Share(what="the ripe share")] = 0.0


@dataclass(frozen=True)
class Graft(Record):
    """A word, and another tree after a colon."""

    HEAD = "graft"
    share: Annotated[float, Share(what="the share")]
    on: Annotated[Any, TREES.nested("the tree that it grows on", example="oak")]
    seed: Annotated[int | None, Whole(what="the seed")] = None


@dataclass(frozen=True)
class Hedge(Record):
    """Two other trees."""

    HEAD = "hedge"
    share: Annotated[float, Share(what="the share")]
    left: Annotated[Any, TREES.nested("the left tree", example="oak")]
    right: Annotated[Any, TREES.nested("the right tree", example="oak")]


@dataclass(frozen=True, kw_only=True)
class Soil(Record):
    """Stands flat in a garden."""

    depth: Annotated[float, Real()] = 3.0
    kind: Annotated[str, OneOf(words=("clay", "sand", "loam"))] = "loam"
    moss: Annotated[Any, TREES.nested(key="under")] = Oak()


@dataclass(frozen=True, kw_only=True)
class Garden(Record):
    """Options only."""

    HEAD = "garden"
    p: Annotated[float, Share()]
    soil: Annotated[Soil, Flat(record=Soil)] = field(default_factory=lambda: Soil(depth=2.0))
    to: Annotated[Any, TREES.nested("a neighbour", example="oak")] = None


TREES.bind({"oak": Oak, "pine": Pine, "apple": Fruit, "pear": Fruit, "graft": Graft, "hedge": Hedge, "garden": Garden})

SEEDS = st.none() | st.integers(0, 10**18 - 1)
SHARES = st.floats(0.0, 1.0)
LEAVES = st.one_of(
    st.just(Oak()),
    st.builds(Pine, SEEDS, st.floats(1e-300, 1e15)),
    st.builds(Fruit, st.sampled_from(("apple", "pear")), SHARES),
)
ALL = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Graft, SHARES, inner, SEEDS),
        st.builds(Hedge, SHARES, inner, inner),
        st.builds(
            Garden,
            p=SHARES,
            soil=st.builds(Soil, depth=st.floats(0.0, 1e15), kind=st.sampled_from(("clay", "loam")), moss=inner),
            to=st.none() | inner,
        ),
    ),
    max_leaves=6,
)


@given(ALL)
def test_a_record_is_what_its_text_says(record: Any) -> None:
    assert TREES.parse(str(record)) == record
    assert type(record).from_text(str(record)) == record


@given(st.floats(allow_nan=False))
def test_a_number_is_what_its_text_says(number: float) -> None:
    assert float(number_text(number)) == number


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("pine", Pine()),
        ("pine:7", Pine(7)),
        ("pine:7,0.5", Pine(7, 0.5)),
        ("pine:height=2", Pine(None, 2.0)),
        ("graft:0.5:pine:1,2", Graft(0.5, Pine(1, 2.0))),
        ("graft:0.5,3:graft:1:oak", Graft(0.5, Graft(1.0, Oak()), 3)),
        ("garden:p=1", Garden(p=1.0)),
        ("garden:p=1,under=pine:1,2,kind=clay", Garden(p=1.0, soil=Soil(depth=2.0, kind="clay", moss=Pine(1, 2.0)))),
        ("garden:p=1,to=pine:1,2", Garden(p=1.0, to=Pine(1, 2.0))),
        ("garden:under=[garden:p=1,under=[pine:1,2]],p=0.5",
         Garden(p=0.5, soil=Soil(depth=2.0, moss=Garden(p=1.0, soil=Soil(depth=2.0, moss=Pine(1, 2.0)))))),
    ],
)  # fmt: skip
def test_texts_and_their_records(text: str, record: Any) -> None:
    assert TREES.parse(text) == record


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ook", "there is no tree 'ook'; did you mean 'oak'?"),
        ("oak:3", "oak: '3' is one word too many; it takes none"),
        ("pine:1,2,3", "pine: '3' is one word too many; it takes seed, height"),
        ("pine:x", "pine: the seed must be a whole number of at least 0, not 'x'"),
        ("pine:1,height=nan", "pine: height must be above 0, not 'nan'"),
        ("pine:1,seed=2", "pine: seed is given twice"),
        ("apple:2", "apple: the ripe share must be between 0 and 1, not '2'"),
        ("graft:0.5", "'graft:0.5' lacks the tree that it grows on, as in graft:0.5:oak"),
        ("graft", "'graft' lacks the tree that it grows on, as in graft:0.5:oak"),
        ("graft:0.5:ook", "there is no tree 'ook'; did you mean 'oak'?"),
        ("garden:depth=1", "garden needs p, as in garden:p=0.5"),
        ("garden:p=0.5,dpth=1", "garden has no option 'dpth'; did you mean 'depth'?"),
        ("garden:p=0.5,kind=cley", "garden: kind is clay, sand or loam, not 'cley'; did you mean 'clay'?"),
        ("garden:p=0.5,depth=1e16", "garden: depth must be at most 1e+15, not '1e16'"),
        ("garden:0.5", "'garden:0.5': '0.5' is not key=value; the options of garden are p, depth, kind, under, to"),
        ("garden:p=", "'garden:p=': no value after 'p='"),
        ("garden:p=1,p=1", "'garden:p=1,p=1': duplicate option 'p'"),
        ("garden:under=[oak", "'garden:under=[oak': '[oak' has no closing bracket before a comma"),
        ('garden:under="oak,p=1', "'\"oak,p=1' has no closing quote before a comma"),
        ('garden:under="oak" s,p=1', "'\"oak\" s,p=1' has no closing quote before a comma"),
        ("graft:0.5:" * 100 + "oak", "nests too many"),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as found:
        TREES.parse(text)
    assert sentence in str(found.value)


def test_a_record_made_in_python_is_checked_as_its_text_is() -> None:
    assert Graft(1, "pine:1") == Graft(1.0, Pine(1))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"graft: the share must be between 0 and 1, not '2\.5'"):
        Graft(2.5, Oak())
    with pytest.raises(InputError, match="did you mean 'oak'"):
        Garden(p=0.5, to="ook")
    with pytest.raises(InputError, match="a tree must be a text, not 3"):
        Garden(p=0.5, to=3)
    with pytest.raises(InputError, match=r"pine: the seed must be a whole number of at least 0, not '1\.5'"):
        Pine(1.5)  # type: ignore[arg-type]


def test_an_unknown_name_has_a_type() -> None:
    with pytest.raises(UnknownError) as found:
        TREES.parse("graft:0.5:birch")
    assert (found.value.kind, found.value.name) == ("tree", "birch")
    with pytest.raises(InputError, match="'oak' is not pine"):
        Pine.from_text("oak")


VALUES = st.text('ab,[]:="\\\n ', min_size=1, max_size=8)


@given(st.lists(VALUES, max_size=4), st.lists(VALUES, max_size=4))
def test_any_value_is_read_as_it_was_written(bare: list[str], keyed: list[str]) -> None:
    words = [bracketed(value, bare=True) for value in bare]
    text = ",".join([*words, *(f"k{i}={bracketed(value)}" for i, value in enumerate(keyed))])
    assert split_words(text, text) == (bare, {f"k{i}": value for i, value in enumerate(keyed)})


MARKED = st.text('ab;|,[]:="\\ ', min_size=1, max_size=8)


@given(st.lists(MARKED, min_size=1, max_size=4), st.sampled_from(";|"))
def test_several_texts_are_read_as_they_were_written(texts: list[str], mark: str) -> None:
    assert parts(f" {mark} ".join(map(part_text, texts)), mark) == texts


@given(st.lists(st.tuples(MARKED, MARKED), min_size=1, max_size=4))
def test_pairs_are_read_as_they_were_written(pairs: list[tuple[str, str]]) -> None:
    words = ",".join(f"{key_text(key)}={bracketed(value)}" for key, value in pairs)
    assert split_pairs(words, "pairs") == pairs
    keys = ",".join(f"{key_text(key)}=1" for key, _ in pairs)
    assert cut(f"{keys}:rest", ":") == (keys, ":", "rest")


@given(MARKED, st.sampled_from(";|:"))
def test_marks_outside_brackets_and_quotes_separate(text: str, mark: str) -> None:
    """Where there are none of these, as `str` has it; and of a text that is cut the first part has no mark."""
    bare = text.replace("[", "").replace('"', "")
    assert cut(bare, mark) == bare.partition(mark)
    assert parts(bare, mark) == [one.strip() for one in bare.split(mark)]
    before, at, after = cut(text, mark)
    assert before + at + after == text
    assert cut(before, mark) == (before, "", "")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a b=c", "a b=c"),
        ('a"b', 'a"b'),
        ("a,b", "[a,b]"),
        ("a ", "[a ]"),
        ("[a]b", "[[a]b]"),
        ('"a"', '["a"]'),
        ("a]b", '"a]b"'),
        ("]a[", '"]a["'),
        ('"[\\', r'"\"[\\"'),
    ],
)
def test_quotes_stand_only_where_brackets_cannot(value: str, written: str) -> None:
    assert bracketed(value) == written
