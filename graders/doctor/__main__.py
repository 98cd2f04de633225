"""`python -m graders.doctor`: the command, also where nbgrader is missing."""

import argparse
import sys

from graders.doctor import commands

parser = argparse.ArgumentParser(prog="python -m graders.doctor", description=commands.WORDS)
commands.add_options(parser)
sys.exit(commands.examine(parser.parse_args()))
