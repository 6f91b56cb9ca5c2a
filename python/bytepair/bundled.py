"""Texts that come with the package, so that every command has something to work on without a network.

A book or a law in each of five languages, of 14 to 180 kilobytes; where they come from stands in `demo_data`. The
Universal Declaration of Human Rights in 75 languages is a part of the package too.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

__all__ = ["bundled_parallel", "bundled_texts"]

_NAMES = {
    "en": "alice_body.txt",
    "ru": "ru_gogol_shinel.txt",
    "ja": "ja_akutagawa.txt",
    "tr": "tr_anayasa.txt",
    "ar": "ar_udhr.txt",
}


def bundled_texts() -> dict[str, Path]:
    """The files of the texts that come with the package, by language: "en", "ru", "ja", "tr", "ar".

    They are UTF-8 and free to use. Anything that takes `files=` takes one of them, or all, as languages:

    >>> import bytepair as bp
    >>> tok = bp.train(files=bp.bundled_texts()["en"], vocab_size=512)
    >>> bp.measure(tok, files=bp.bundled_texts()).languages
    ('en', 'ru', 'ja', 'tr', 'ar')
    """
    folder = Path(str(resources.files("bytepair.demo_data")))
    return {language: folder / name for language, name in _NAMES.items()}


def bundled_parallel() -> dict[str, tuple[str, ...]]:
    """The same text in 75 languages: the 30 articles of the Universal Declaration of Human Rights.

    Source: United Nations. It is what `language_tax` measures on, and can be the development text of a `Balance`.

    >>> import bytepair as bp
    >>> text = bp.bundled_parallel()
    >>> len(text), len(text["en"]), text["en"][2][:34], text["tr"][2][:30]
    (75, 30, 'Everyone has the right to life, li', 'Yaşamak, hürriyet ve kişi emni')
    """
    from bytepair.tax.aligned import declaration  # noqa: PLC0415

    return dict(declaration().lines)
