"""Evaluators other than networks: exact values of small games, and random games to the end."""
