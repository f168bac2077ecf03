"""What a league's plays say about its entrants: boards, ratings, statistics.

`boards` gathers single plays into whole boards, `ratings` turns boards into TrueSkill
ratings, `statistics` into penalties per deal with honest errors. All of it is pure: values
in, values out. Entrants are integer keys, indices into a list that the caller keeps.
"""
