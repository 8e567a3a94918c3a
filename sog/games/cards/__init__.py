"""Card games with hidden hands."""
