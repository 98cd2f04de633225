"""What can happen when the student's code runs: rows 10 to 14 and 19."""

from tests.situations.cases import case
from tests.situations.toy import ANSWERS, DOUBLE, SHIFT

NO_END = "lax.while_loop(lambda c: c < 1, lambda c: c / 2, 0.5)"

# --- 10, 11: no end -----------------------------------------------------------------------


@case(10, lost=DOUBLE, status="timed-out")
def endless_compiled_loop(s):
    s["double"] = f"def double(x):\n    return 2 * x + {NO_END}"


@case(10, lost=("shift-large",), status="timed-out")
def endless_for_one_input(s):
    s["shift"] = (
        f"def shift(x):\n    if np.ndim(x) == 0 and x > 1000:\n        {NO_END}\n    return x + 1"
    )


@case(11, lost=DOUBLE, status="timed-out")
def swallows_interrupts(s):
    s["double"] = (
        "def double(x):\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException:\n            pass"
    )


@case(11)
def cell_without_end_before_the_answer(s):
    s.insert("double", "import time\ntime.sleep(1234567)")


@case(11, lost=DOUBLE, status="timed-out")
def answer_cell_without_end(s):
    s["double"] = ANSWERS["double"] + "\nwhile True: pass"


@case(11, lost=("q1-answer",), status="timed-out")
def answer_that_cannot_be_looked_at(s):
    s["q1"] = (
        "class Slow:\n    shape, dtype = (), 'float32'\n"
        "    def __array__(self, *args, **kwargs):\n        while True: pass\nq1 = Slow()"
    )


# --- 12: ends the process -----------------------------------------------------------------


def _ends(statement, *imports):
    text = "\n".join(["import os, signal, ctypes", f"def double(x):\n    {statement}"])

    def spoil(s):
        s["double"] = text

    return spoil


for _name, _statement in {
    "os_exit": "os._exit(0)",
    "kills_itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "segmentation_fault": "ctypes.string_at(0)",
    "abort": "os.abort()",
}.items():
    _spoil = _ends(_statement)
    _spoil.__name__ = _name
    case(12, lost=DOUBLE, status="crashed")(_spoil)


@case(12)
def cell_that_ends_the_process(s):
    s.insert("double", "scale = 1\nimport os; os._exit(3)")


@case(12)
def exit_in_a_cell(s):
    s.insert("double", "exit()\nscale = 2")
    s["double"] = "quit()\ndef double(x):\n    return scale * x"


@case(12)
def sys_exit_in_a_cell(s):
    s.insert("double", "import sys; sys.exit(1)")
    s.insert("double", "raise KeyboardInterrupt")
    s.insert("double", "raise BaseException('all')")


@case(12)
def shuts_the_kernel_down_a_moment_later(s):
    s.insert(
        "double",
        "loop = get_ipython().kernel.io_loop\nlater = loop.call_later(0.05, loop.stop)",
    )


@case(12, lost=("double-plain", "double-traced", *SHIFT))
def functions_that_interrupt_and_exit(s):
    s["double"] = "def double(x):\n    raise KeyboardInterrupt"
    s["shift"] = "import sys\ndef shift(x):\n    sys.exit(0)"


@case(12, lost=SHIFT)
def endless_recursion(s):
    s["shift"] = "def shift(x):\n    return shift(x)"


@case(12, lost=DOUBLE, told=["SyntaxError"])
def syntax_error(s):
    s["double"] = "def double(x)\n    return 2 * x"


@case(12, lost=SHIFT, told=["NameError"])
def cell_that_raises(s):
    s["shift"] = "one = uno\ndef shift(x):\n    return x + one"


# --- 13: memory ---------------------------------------------------------------------------


@case(13, lost=DOUBLE, status="out-of-memory")
def allocates_without_end(s):
    s["double"] = "def double(x):\n    hoard = []\n    while True: hoard.append(b'x' * 10**7)"


@case(13, lost=DOUBLE, status="out-of-memory")
def allocates_too_much_at_once(s):
    s["double"] = "def double(x):\n    return [0] * 10**11"


@case(13)
def cell_that_allocates_without_end(s):
    s.insert("double", "hoard = []\nwhile True: hoard.append(bytearray(10**7))")


@case(13, lost=SHIFT, status="out-of-memory")
def cell_that_allocates_too_much_at_once(s):
    s["shift"] = "table = [0] * 10**11\ndef shift(x):\n    return x + 1"


# --- 14: noise ----------------------------------------------------------------------------


@case(14)
def warns_and_writes_to_stderr(s):
    s["double"] = (
        "import warnings, sys, logging, os\nwarnings.warn('cell')\nprint('cell', file=sys.stderr)\n"
        "def double(x):\n    warnings.warn('call')\n    print('call', file=sys.stderr)\n"
        "    logging.error('call')\n    os.write(2, b'call')\n    return 2 * x"
    )


@case(14)
def warnings_are_errors(s):
    s["double"] = "import warnings\nwarnings.simplefilter('error')\n" + ANSWERS["double"]


# --- 19: too much of it -------------------------------------------------------------------


@case(19, told=["was left out by the grader", "did not come to its end in time"])
def endless_printing(s):
    s.insert("double", "while True: print('hello' * 100, flush=True)")


@case(19, lost=DOUBLE, status="timed-out")
def endless_displaying(s):
    s["double"] = "def double(x):\n    while True: display('hello')"


@case(19, told=["was left out by the grader"])
def prints_a_lot(s):
    s.insert("double", "for number in range(200_000): print(number)")
    s.insert("double", "print('x' * 10_000_000)")


@case(19)
def threads_and_children(s):
    s["double"] = (
        "import threading, subprocess, sys, time\n"
        "threading.Thread(target=lambda: time.sleep(1234567)).start()\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1234567)'],\n"
        "                         start_new_session=True)\n"
        "import os\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1234567)\n"
        + ANSWERS["double"]
    )


@case(19)
def asks_for_input(s):
    s.insert("double", "name = input('Your name? ')")


@case(19, lost=("q1-answer",))
def gigantic_values(s):
    s["q1"] = "q1 = ['b'] * 10**6"


@case(19, lost=DOUBLE)
def gigantic_results(s):
    s["double"] = "def double(x):\n    return np.zeros(10**7)"


@case(19)
def changes_its_folder_and_itself(s):
    s.insert(
        "double",
        "import os\nfor name in os.listdir('.'): os.remove(name)\n"
        "os.makedirs('/'.join('d' * 300)[:500], exist_ok=True)\nos.chmod('.', 0)\nos.chdir('/')",
    )


@case(19, lost=DOUBLE)
def nested_without_end(s):
    s["double"] = "def double(x):\n    nest = []\n    nest.append(nest)\n    return nest"


@case(19)
def magics(s):
    s.insert("double", "%matplotlib inline\n!ls\n%timeit -n1 -r1 pass\n%reset -f")
    s.insert("double", "import numpy as np", by=0)


@case(19)
def x64_and_disabled_jit(s):
    s.insert("double", "import jax\njax.config.update('jax_disable_jit', True)")
