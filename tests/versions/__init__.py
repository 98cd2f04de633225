"""The verdicts on the bank of answers, under versions of Python and JAX and settings of JAX.

`verdicts.json` is what they have to be everywhere; `python -m tests.versions --refresh` writes it
anew from the running Python.
"""
