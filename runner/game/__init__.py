"""Letzter itself: cards, rules, the state of a deal, dealing. Pure, standard library only."""
