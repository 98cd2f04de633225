"""Pictures of answers: what a function gives beside what it should, and its traced program.

Students reach them through `show` in each exercise's module. A picture is drawn from
observations, as a check judges them, so that no answer can break it. Matplotlib is imported
when something is drawn and by nothing else; without it there is still the text, which also
says to screen readers what a figure shows.

From the ground up: `tree` (a traced program as a tree), `frame` (observing, laying out and
displaying), and a module for each exercise.
"""
