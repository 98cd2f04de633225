"""Taking in the bulk downloads of learning platforms.

From the ground up: `archives` – every file of a download, read safely; `names` – whose it is;
`take` – which attempt counts, and where it goes; `commands` – `graders collect`.
"""
