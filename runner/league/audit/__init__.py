"""The audit of a league: everything in its database that can be proved is proved.

    audit.py       goes through the database
    report.py      what came of it
    standing.py    ratings, computed again
    replays.py     sittings played again from the stored bots
    runs.py        sittings, rotations, faults: all that belongs to one run of a table
    deal_logs.py   one deal log against rules, secret and seating
    bots.py        bots against their hashes, tables against their entrants
    findings.py    what is found wrong

Each imports only those below it.
"""
