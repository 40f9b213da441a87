"""All names of texts with one line about each: listed by the help, and compared with misspelt names.

Plain dicts, so that the command line can show them without loading the named objects. The registries take their names
and lines from here, and a test checks that both agree.
"""

from __future__ import annotations

from collections.abc import Iterable

METHODS = {
    "br": "best response: wins most, no protection",
    "mix": "br with probability p, else an equilibrium",
    "dbr": "trust p at each infoset, less where data are few",
    "rnr": "the opponent is the model with probability p",
    "safe": "largest gain within the allowed exploitability",
    "bne": "among all equilibria the one that wins most",
    "cdbr": "best response by look-ahead of limited depth",
    "cdrnr": "restricted Nash response by look-ahead of limited depth",
    "cdbr-ne": "cdbr with probability p, else an equilibrium",
    "resolve": "continual re-solving: look-aheads without a model",
    "ses": "safe exploitation search: re-solving tilted toward the modelled range",
    "abd": "cdrnr with a portfolio at the limit: adapts to the model beyond it",
    "lbr": "best action if both only call from then on; poker",
}
"""Methods of `respond`."""
MISREAD_WHOLE_GAME = ("br", "rnr:p=0.75")
MISREAD = (*MISREAD_WHOLE_GAME, "safe:max_exploitability=1%")
"""Methods that `misread` compares unless others are named; whole games of hold'em have no per cent of a pot or a span."""

SOLVERS = {
    "lp": "the sequence-form linear program: exact",
    "cfr": "counterfactual regret minimisation",
    "cfr+": "regrets never below 0, linear averaging",
    "dcfr": "discounted CFR; dcfr:1.5,0,2 sets alpha, beta, gamma",
    "pcfr+": "predictive CFR+",
    "pdcfr+": "discounted predictive CFR+",
    "auto": "lp where the game is small enough (and for solve no stop is given), else a minimiser",
}
"""How equilibria are computed; all but `lp` and `auto` are regret minimisers."""

OPPONENTS = {
    "uniform": "every action with equal probability",
    "random[:SEED[,ALPHA]]": "drawn from a Dirichlet distribution at every infoset (ALPHA 1: all strategies alike)",
    "nash": "an equilibrium strategy",
    "METHOD:N": "the average after N iterations of cfr, cfr+, dcfr, pcfr+ or pdcfr+; `,current` for the last strategy, "
    "`,simultaneous` where both players move at once",
    "noise:WEIGHT:OPPONENT": "another opponent who plays uniformly with probability WEIGHT at every infoset",
    "shuffle:SHARE[,SEED]:OPPONENT": "another opponent; a SHARE of the infosets has its probabilities multiplied by "
    "random numbers and scaled to sum to 1",
    "observed:HANDS[,SEED]:OPPONENT": "a model made from that many observed hands of another opponent",
    "s1, s2, s3, s4": "the Leduc players of Milec et al. 2025: passive in one round, aggressive in the other",
    "passive, aggressive": "the Leduc players that do the same in both rounds",
    "br:OPPONENT": "a best response to another opponent, who sits in the other seat",
    "logit:PRECISION:OPPONENT": "a quantal response: actions in proportion to exp(PRECISION x expected chips)",
    "bias:ACTION=FACTOR[,...]:OPPONENT": "another opponent who takes those actions FACTOR times as readily; a beginning of "
    "the action's name will do, and the longest counts",
    "incentive:ACTION=AMOUNT[,...][:OPPONENT]": "gains so much for each such action, as in call=0.5bb, and plays an "
    "equilibrium of that game, or a best response to OPPONENT in it",
    "incentive:FILE[:OPPONENT]": "in a spot: gains so much for actions at places and with hands that a file names",
    "hands:FILE,player=NAME[,prior=OPPONENT]": "a model made from the hands of a player in a file, toward a prior (nash)",
    "profile:STATISTIC=PERCENT[,...][:OPPONENT]": "in a spot or whole hold'em: another player (nash) with these figures of "
    "the villain card, by the smallest change",
    "lock:FILE": "in a spot: an equilibrium but for the leaks of a file",
    "even, odd, last:CELL[,SHARE]": "shoot uniformly in battleships: at the cells of one colour first; at that cell last, "
    "or with probability SHARE at every shot",
    "net:FILE.cpn": "a policy that a network has learned (`counterplay learn policy`)",
    "FILE.json, FILE.cps": "a strategy file",
    "MODULE:FUNCTION": "your own function from infoset (and actions) to probabilities, or a bot with sample(state, rng)",
}
"""The forms of an opponent's text."""

AGENTS = {
    "any opponent's text": "plays that strategy",
    "resolve[:OPTIONS]": "continual re-solving",
    "cdbr:to=OPPONENT": "searches against the model alone",
    "cdrnr:p=P,to=OPPONENT": "searches, and trusts the model with probability p",
    "abd:p=P,value=...,to=OPPONENT": "the same over a portfolio at the limit",
    "ses:alpha=A,to=OPPONENT": "re-solves against a range tilted to the model's",
    "cdbr-ne:p=P,to=OPPONENT": "cdbr with probability p, drawn before every hand, else an equilibrium",
    "learn:BY[,p=P,prior=OPPONENT]": "learns while it plays: trusts its model by evidence, by gifts or by a fixed P",
    "switch:A;B;after=N": "another agent after every N hands; the last one stays",
    "br, mix, dbr, rnr, safe, bne, lbr": "with to=OPPONENT, and p= or max_exploitability= as the method has it: the whole "
    "strategy, computed before the match",
}
"""The forms of an agent's text."""

WHOLE_GAME_OPPONENTS = {
    "uniform": "every action with equal probability",
    "passive, aggressive": "checks and calls everything; bets and raises whenever it may",
    "random[:SEED[,ALPHA]]": "every row drawn from a Dirichlet distribution (ALPHA 1: all strategies alike)",
    "nash": "the blueprint from which exploitability is counted, in the game's own buckets",
    "METHOD:N": "the average after N iterations of cfr, cfr+ or dcfr over all boards; `,current` for the last strategy",
    "noise:WEIGHT:OPPONENT": "another one who plays uniformly with probability WEIGHT at every decision",
    "observed:HANDS[,SEED]:OPPONENT": "a model made from that many observed hands of another one",
    "blueprint[:buckets=200,iterations=4000,method=public,seed=0]": "computed at once: half a minute on a full deck",
    "FILE.cpb, FILE.fhp": "a blueprint that `counterplay blueprint` has made",
    "FILE.cpr": "a response that `counterplay respond --flops` has saved",
    "hands:FILE,player=NAME[,prior=OPPONENT]": "a blueprint (nash) tilted toward the hands of a player in a file",
    "profile:STATISTIC=PERCENT[,...][:OPPONENT]": "another one (nash) with these figures of the villain card, by the "
    "smallest change",
    "shuffle:SHARE[,SEED]:OPPONENT": "another one; a SHARE of the infosets has its probabilities multiplied by draws",
    "bias:ACTION=FACTOR[,...]:OPPONENT": "another one with those actions' probabilities times FACTOR",
    "br:OPPONENT": "the best response to another one, in the game without buckets",
    "MODULE:CLASS[:ARGUMENT]": "your own bot, with probabilities(line, board, hands)",
}
"""The same in whole games of hold'em."""

WHOLE_GAME_AGENTS = (
    "resolve",
    "ses",
    "cdbr",
    "cdrnr",
    "cdbr-ne",
    "abd",
    "br",
    "rnr",
    "mix",
    "dbr",
    "safe",
    "bne",
    "lbr",
)
"""Agents that compute there."""

GADGETS = {
    "unsafe": "no protection: the opponent's range is given",
    "resolving": "at every infoset the opponent may take the value they could have had",
    "max-margin": "the opponent chooses the infoset, each less what they could have had there",
    "reach-max-margin": "the same, and gifts made on the path may be taken back",
    "full": "the opponent keeps their whole path from the root of the game",
    "trimmed": "the same, with the value function at the first public state off that path",
    "path": "the full gadget, contracted to the places where the path branches",
}
"""How an opponent enters a subgame."""

VALUES = {
    "exact": "the game below is solved together with the look-ahead",
    "lp": "the same, nested",
    "METHOD:N": "N iterations of cfr, cfr+, dcfr, pcfr+ or pdcfr+ below the limit",
    "rollout:N[,SEED]": "the mean of N random games from each history on",
    "portfolio:A;B;...": "both players choose among these opponents' strategies",
    "sampled:N[,SEED]:A;B;...": "the same, by N random games for each history and pair",
    "equity": "in spots: the share of the pot without further betting",
    "net:FILE.cpn": "values that a network has learned (`counterplay learn value`; where a turn ends, `learn river`)",
    "MODULE:FUNCTION": "your own function from a state to chips of player 0, or your own class",
}
"""What may stand behind the limit of a look-ahead."""

PRIORS = {
    "none": "any equilibrium of the gadget game",
    "uniform": "the opponent errs uniformly",
    "blueprint": "the opponent errs toward the blueprint",
    "FILE.json": "a weight for each infoset of the opponent at the top",
}
"""Toward what a gadget's equilibrium is refined."""

PLACES = {
    "moves:N": "after N moves of the players",
    "round, round:N": "after a round, which ends with a public event of chance",
    "game": "at the public states that the game itself marks",
}
"""Where a blueprint is solved again."""


def heads(forms: Iterable[str]) -> list[str]:
    """The words with which texts of these forms begin: of "noise:WEIGHT:OPPONENT" it is "noise"; files and modules have
    none, and METHOD stands for every minimiser."""
    found: list[str] = []
    for form in forms:
        for word in form.split("[")[0].split(", "):
            head = word.partition(":")[0]
            if head == "METHOD":
                found += [name for name in SOLVERS if name not in ("lp", "auto")]
            elif not head.isupper() and not head.startswith("FILE.") and " " not in head:
                found.append(head)
    return found
