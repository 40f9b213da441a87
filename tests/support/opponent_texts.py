"""A text of every form of a model of the opponent."""

from __future__ import annotations

TEXTS = [
    "uniform",
    "random",
    "random:7",
    "random:7,0.2",
    "nash",
    "cfr:10",
    "cfr+:10",
    "dcfr:10",
    "pcfr+:10",
    "pdcfr+:10",
    "cfr:10,current",
    "cfr+:10,simultaneous",
    "pcfr+:10,current,simultaneous",
    "cfr+:0",
    "noise:0.2:nash",
    "shuffle:0.3:nash",
    "shuffle:0.7,4:cfr+:10",
    "observed:1000:uniform",
    "observed:50,3:cfr+:10",
    "noise:0.1:shuffle:0.5,1:observed:100:random:2",
    "br:uniform",
    "logit:2:nash",
    "noise:0.1:logit:0.5:random:2",
    "br:noise:0.5:br:random:1",
    "noise:0.1:br:uniform",
]
