"""What students try for marks that they do not deserve: rows 15 to 18."""

from tests.situations.cases import case
from tests.situations.toy import DOUBLE, POINTS, SHIFT

WRONG = {"double": "def double(x):\n    return x", "shift": "def shift(x):\n    return x"}
ALL = tuple(POINTS)
FUNCTIONS = (*DOUBLE, *SHIFT)


def wrong(s, before="", **answers):
    for name, text in {**WRONG, **answers}.items():
        s[name] = text
    if before:
        s.insert("double", before)


# --- 15: values where marks are expected --------------------------------------------------

for _name, _value in {
    "nan": "float('nan')",
    "infinity": "float('inf')",
    "negative": "-5.0",
    "text": "'2.0'",
    "jax_scalar": "jnp.float32(2.0)",
    "none": "None",
    "complex_number": "2j",
    "nan_array": "np.full(2, np.nan)",
    "strings": "np.array(['2', '3'])",
    "objects": "np.array([object(), None])",
}.items():

    def _spoil(s, value=_value):
        s["shift"] = f"def shift(x):\n    return {value}"

    _spoil.__name__ = f"returns_{_name}"
    # Half of what the partial credit is for is 2.0 everywhere.
    _marks = {"shift-partial": 1.0} if _name == "jax_scalar" else {}
    case(15, lost=SHIFT, hostile=True, marks=_marks)(_spoil)


@case(15, hostile=True, lost=("shift-plain", "shift-large"), marks={"shift-partial": 1.0})
def half_right(s):
    s["shift"] = "def shift(x):\n    return np.array([2.0, 9.0]) + 0 * x"


# --- 16: patches, forged objects, forged messages -----------------------------------------


@case(16, hostile=True, lost=FUNCTIONS)
def patches_numpy_and_builtins(s):
    wrong(
        s,
        "import builtins, numpy, jax\n"
        "yes = lambda *args, **kwargs: True\n"
        "for name in ('allclose', 'isclose', 'array_equal', 'equal', 'all'):\n"
        "    setattr(numpy, name, yes)\n    setattr(jax.numpy, name, yes)\n"
        "builtins.all = builtins.any = builtins.isinstance = yes\n"
        "builtins.AssertionError = type('Quiet', (Exception,), {})",
    )


@case(16, hostile=True, lost=(*FUNCTIONS, "q1-answer"))
def patches_the_grader(s):
    wrong(
        s,
        "import graders.checks, graders.report, graders.quiz, graders.observe, graders.compare\n"
        "for module in (graders.checks, graders.report, graders.quiz, graders.compare):\n"
        "    for name in list(vars(module)):\n"
        "        if callable(getattr(module, name)):\n"
        "            setattr(module, name, lambda *args, **kwargs: None)",
        q1='q1 = "a"',
    )


@case(16, hostile=True, lost=ALL)
def patches_its_end_of_the_line(s):
    wrong(
        s,
        "import json, graders.serve, graders.values\n"
        "def answer(request):\n"
        "    for reply in ({'number': 0, 'observation': {'status': 'passed'}}, {'number': 0},\n"
        "                  {'number': -1, 'score': 2}, {'name': 'q1', 'description': 'right'},\n"
        "                  {'described': {}}, {'number': 1e999}, [], None, 'passed'):\n"
        "        for form in (reply, [reply], [json.dumps(reply)], ['[' * 10**5, '1' * 10**5]):\n"
        "            get_ipython().display_pub.publish({graders.serve.MIME: form})\n"
        "graders.serve.answer = answer",
    )


@case(16, hostile=True, lost=FUNCTIONS)
def malformed_observations(s):
    wrong(
        s,
        "import graders.serve\n"
        "def forged(seen):\n"
        "    deep = {'list': []}\n"
        "    for _ in range(400): deep = {'list': [deep]}\n"
        "    forged.turn = getattr(forged, 'turn', 0) + 1\n"
        "    value = [deep, {'array': {'dtype': 'float64', 'shape': [-1], 'data': ''}},\n"
        "             {'array': {'dtype': 'O', 'shape': [1], 'data': 'AAAA'}},\n"
        "             {'array': {'dtype': 'int8', 'shape': [1e999], 'data': ''}},\n"
        "             {'int': '9' * 10**5}, {'code': 'True'}][forged.turn % 6]\n"
        "    return {'status': 'returned', 'value': value, 'problem': None, 'program': None,\n"
        "            'events': [], 'through': [], 'array_kind': 'jax'}\n"
        "graders.serve.observation_to_json = forged",
    )


@case(16, hostile=True, lost=(*FUNCTIONS, "q1-answer"))
def forged_objects(s):
    forged = (
        "class Yes:\n    shape, dtype, ndim = (), 'float32', 0\n"
        "    def __eq__(self, other): return True\n    __gt__ = __ge__ = __lt__ = __ne__ = __eq__\n"
        "    def __array__(self, *args, **kwargs): raise SystemExit\n"
        "    def __bool__(self): return True\n    def __float__(self): return 2.0\n"
        "    def __repr__(self): return '2.0'\n    __str__ = __repr__\n"
        "    def __hash__(self): return hash('b')\n"
        "    def __getattr__(self, name): return self\n"
        "    __class__ = property(lambda self: str)\n"
    )
    wrong(
        s,
        forged,
        double="def double(x):\n    return Yes()",
        shift="def shift(x):\n    return Yes()",
        q1="q1 = Yes()",
    )


@case(16, hostile=True, lost=("q1-answer",))
def text_that_equals_everything(s):
    s["q1"] = (
        "class Letter(str):\n    def __eq__(self, other): return True\n"
        "    def __hash__(self): return hash('b')\n    def __str__(self): return 'b'\n"
        "    def strip(self, *args): return 'b'\n    lower = strip\nq1 = Letter('a')"
    )


@case(16, hostile=True, lost=(*FUNCTIONS, "q1-answer"))
def display_hooks_and_transformers(s):
    wrong(
        s,
        "import sys, ast\nshell = get_ipython()\n"
        "shell.input_transformers_post.append(lambda lines: ['2.0'])\n"
        "class Two(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "shell.ast_transformers.append(Two())\n"
        "sys.displayhook = lambda value: print('2.0')\n"
        "shell.display_formatter.format = lambda *args, **kwargs: ({'text/plain': '2.0'}, {})\n"
        "shell.events.register('post_run_cell', lambda result: print(2.0))",
        q1='q1 = "a"',
    )


@case(16, hostile=True, lost=FUNCTIONS)
def raw_messages(s):
    wrong(
        s,
        "kernel = get_ipython().kernel\n"
        "def noise():\n"
        "    socket, session = kernel.iopub_socket, kernel.session\n"
        "    parent = kernel.get_parent()\n"
        "    socket.send(b'noise')\n    socket.send_multipart([b''] * 3)\n"
        "    socket.send_multipart([b'<IDS|MSG>', b'00', b'{', b'{', b'{', b'{'])\n"
        "    for kind, content in (('stream', {}), ('stream', {'text': [1], 'name': 7}),\n"
        "        ('display_data', {'data': [1]}), ('error', {'traceback': 5}), ('status', {}),\n"
        "        ('execute_result', {'data': {'text/plain': '2.0', 'text/html': '<script>'}})):\n"
        "        session.send(socket, kind, content, parent=parent)\n"
        "    for reply in ({}, {'status': 'ok', 'score': 2}):\n"
        "        session.send(kernel.shell_stream if hasattr(kernel, 'shell_stream') else socket,\n"
        "                     'execute_reply', reply, parent=parent)\n"
        "    session.send(socket, 'status', {'execution_state': 'idle'}, parent=parent)\n"
        "noise()",
        double="def double(x):\n    noise()\n    return x",
        shift="def shift(x):\n    noise()\n    return x",
    )


@case(16, hostile=True, lost=("double-traced",))
def calls_back_into_python(s):
    s["double"] = (
        "import jax\ndef double(x):\n"
        "    if isinstance(x, jax.core.Tracer):\n"
        "        kind = jax.ShapeDtypeStruct(x.shape, x.dtype)\n"
        "        return jax.pure_callback(lambda y: 2 * y, kind, x)\n"
        "    return 2 * x"
    )


@case(16, hostile=True, lost=FUNCTIONS)
def replaces_modules(s):
    wrong(
        s,
        "import sys, types\nfake = types.ModuleType('numpy')\n"
        "fake.allclose = lambda *args, **kwargs: True\nsys.modules['numpy'] = fake\n"
        "open('graders.py', 'w').write('1/0')\nopen('numpy.py', 'w').write('1/0')\n"
        "np = fake",
    )


@case(16, hostile=True, lost=FUNCTIONS)
def own_test_outputs(s):
    wrong(s)
    for name in FUNCTIONS:
        s.cell(name)["outputs"] = [
            {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {},
             "execution_count": 1}
        ]  # fmt: skip


SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@case(16, hostile=True, told=["&lt;script>alert(1)&lt;/script>", "the file was named toy &lt;b>"])
def scripts_in_the_browser(s):
    s.filename = "toy <b>(1).ipynb"
    for kind in ("markdown", "raw"):
        cell = {"cell_type": kind, "source": SCRIPT, "metadata": {"raw_mimetype": "text/html"}}
        s.nb["cells"].append(cell)
    s.insert("double", f"from IPython.display import HTML\nHTML({SCRIPT!r})")


@case(16, hostile=True, lost=(*FUNCTIONS, "q1-answer"))
def claims_to_be_graded(s):
    wrong(s, q1="q1 = 'c'")
    rows = [
        {"student": "", "notebook": "", "cell": cell, "status": "passed", "score": 2.0,
         "max_score": 2.0, "findings": [], "seconds": 0.0, "note": ""}
        for cell in POINTS
    ]  # fmt: skip
    s.nb["metadata"]["graders"] = {"rows": rows, "digest": "0", "notes": []}


# --- 17: looks around ---------------------------------------------------------------------


@case(17, hostile=True, told=["found: []", "refused: 2"])
def looks_for_the_gradebook(s):
    s.insert(
        "double",
        "import os, socket\nfound = []\n"
        "for parent, folders, names in os.walk('/'):\n"
        "    large = ('proc', 'sys', 'usr', 'lib', 'site-packages')\n"
        "    folders[:] = [folder for folder in folders if folder not in large]\n"
        "    found += [n for n in names if n == 'gradebook.db' or n == 'toy.ipynb']\n"
        "print('found:', found)\nrefused = 0\n"
        "def attempt(action):\n"
        "    global refused\n"
        "    try: action()\n"
        "    except OSError as error: refused += 1; print(error)\n"
        "attempt(lambda: socket.create_connection(('127.0.0.1', 22), timeout=2))\n"
        "attempt(lambda: open('/etc/graders-was-here', 'w'))\n"
        "print('refused:', refused)",
    )


# --- 18: looks for hidden tests -----------------------------------------------------------


@case(18, hostile=True, told=["hidden: 0"])
def prints_the_history(s):
    s["shift"] = (
        "import gc, sys\nclues = [clue[::-1] for clue in ('hsuh', 'NEDDIH', '== )thgir')]\n"
        "def shift(x):\n"
        "    frame, texts = sys._getframe(), list(In)\n"
        "    while frame: texts += map(repr, frame.f_locals.values()); frame = frame.f_back\n"
        "    some = [o for o in gc.get_objects() if type(o) in (tuple, dict) and len(o) < 50]\n"
        "    hidden.update(t for t in texts + [repr(o) for o in some if o is not clues]\n"
        "                  if any(c in t for c in clues) and repr(clues) not in t)\n"
        "    return x + 1\nhidden = set()"
    )
    s.nb["cells"].append(s.copy_of("q1"))
    s.nb["cells"][-1].update(source="print('hidden:', len(hidden))", metadata={})
