"""AlphaZero: the same network and training loop, with another search and other targets."""
