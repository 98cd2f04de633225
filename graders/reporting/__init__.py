"""The class at a glance: a page, a table in the terminal, and CSV.

From the ground up:

* `graded` – what an autograded notebook tells: rows, findings, answers;
* `classroom` – a class's marks from the gradebook and the graded notebooks, as plain data;
* `sections` – where in the chapter a misunderstanding is explained;
* `stats` – the ranking of misunderstandings and the item analysis; `choices` – the quiz;
* `needs` – what needs a person; `similar` – answers that are built alike;
* `svg`, `tables`, `page` – the HTML page; `tidy` – the CSV files;
* `commands` – `graders report` and `graders status`.
"""
