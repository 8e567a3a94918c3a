"""AlphaZero: the same network and loop, another search and other targets."""
