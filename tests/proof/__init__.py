"""The proof of the graders: how often they are right, on everything that we can think of.

`python -m tests.proof` (or `make proof`) measures and prints; it exits with 1 if anything is not as
it should be.
"""
