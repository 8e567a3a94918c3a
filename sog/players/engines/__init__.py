"""Programs of others as players: `process.py` starts one and speaks with it in lines, `limits.py`
reads what is set behind its command. What to say is known where its protocol is.
"""
