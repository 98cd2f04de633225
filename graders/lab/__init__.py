"""`graders lab`: a demo course with an exchange and a class, open in JupyterLab."""
