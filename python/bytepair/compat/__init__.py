"""The interfaces of other tokenizer libraries, over the engine of this one: `tiktoken`'s and `transformers`'."""
