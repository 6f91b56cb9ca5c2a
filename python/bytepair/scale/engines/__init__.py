"""Engines: where the items of a job are worked on. Each is one method, `map`, and people run them already.

- `local`: processes of this machine (`local`, with `worker` at the other end of the pipe); needs nothing.
- `ray`, `spark`, `dask`: a cluster that is there, joined by its address, or one of this machine made for the job.

What all of them share is in `guarded`: an exception becomes a result, so that no engine tries again what would fail
again, and every engine raises the same error, which names the item. What engines do try again are items whose worker
was lost.
"""

from bytepair.scale.engines.engine import Engine, EngineName, Item, opened

__all__ = ["Engine", "EngineName", "Item", "opened"]
