"""Trains, runs and explains byte-pair tokenizers."""
