"""Languages that take turns: parity-aware training (Foroutan et al., arXiv:2508.04796).

Plain training serves the language of which there is most. Here each language also has a development text that says the
same in all of them. At each step the language whose development text is longest, in tokens, chooses the commonest pair
of its own words, and the pair is merged in all words of all languages. So what pays most is made shorter, until all
pay about the same.

For `training.learn` this is a `Segmentation` like any other: its commonest pairs are those of the language whose turn
it is.
"""

from collections.abc import Callable, Collection, Sequence

from bytepair.reference.bytes_bpe import Pair
from bytepair.reference.training import Barred, Segmentation, Words


class Balanced:
    """Several corpora in step.

    `lengths`: the tokens of each development text. `choosers`: of each choice the language, as a number; None where all
    chose together.

    >>> from bytepair.reference.training import BYTES, Recounted, learn
    >>> english, german = [(b"the", 9), (b"then", 5)], [(b"der", 2), (b"den", 1)]
    >>> corpora = []
    >>> def corpus(words, barred):
    ...     corpora.append(Balanced(Recounted, [english, german], [[(b"the", 1)], [(b"der", 1)]], barred))
    ...     return corpora[-1]
    >>> learn(corpus, [], BYTES, num_merges=4).pairs()
    [(b'h', b'e'), (b'd', b'e'), (b't', b'he'), (b'de', b'r')]
    >>> corpora[0].choosers, corpora[0].lengths
    ([0, 1, 0, 1], [1, 1])
    """

    def __init__(  # noqa: PLR0917 - what is said of the languages, in the order in which it matters
        self,
        corpus: Callable[[Words, Barred], Segmentation],
        languages: Sequence[Words],
        developments: Sequence[Words | None],
        barred: Barred,
        classic: int = 0,
        window: tuple[int, int] | None = None,
        min_count: int = 1,
    ) -> None:
        """`corpus` is `Recounted` or `Linked`.

        The first `classic` choices are those of all languages together. With a `window` of (merges, share) a language
        waits while it has chosen more than `share` equal parts of the last `merges` choices of languages. A language
        without a development text never chooses, and one without a pair that occurs `min_count` times lets the next
        one.
        """
        self.languages = [corpus(words, barred) for words in languages]
        self.developments = [None if words is None else corpus(words, barred) for words in developments]
        self.together = corpus([word for words in languages for word in words], barred)
        self.lengths = [None if words is None else size(words) for words in developments]
        self.classic, self.window, self.min_count = classic, window, min_count
        self.choosers: list[int | None] = []
        self.turn = self.together

    def order(self) -> list[int | None]:
        """Who is asked for a pair: those that wait come last, and before that those with long texts first."""
        if len(self.choosers) < self.classic:
            return [None]
        able = [language for language, length in enumerate(self.lengths) if length is not None]
        merges, share = self.window or (0, 0)
        last = [chooser for chooser in self.choosers if chooser is not None][-merges:] if merges else []

        def place(language: int) -> tuple[bool, int]:
            return last.count(language) * len(able) > share * merges, -(self.lengths[language] or 0)

        return [*sorted(able, key=place)]

    def commonest(self) -> tuple[int, Collection[Pair]]:
        """The highest count of the language whose turn it is, and all pairs that have it. It is asked once a merge."""
        rest: tuple[int, Collection[Pair]] = (0, [])
        for language in self.order():
            self.turn = self.together if language is None else self.languages[language]
            count, pairs = self.turn.commonest()
            if pairs and count >= self.min_count:
                self.choosers.append(language)
                return count, pairs
            rest = max(rest, (count, pairs), key=lambda found: found[0])
        return rest

    def first_place(self, pair: Pair) -> int:
        """As `Segmentation` says."""
        return self.turn.first_place(pair)

    def count(self, pair: Pair) -> int:
        """The pair's count in all languages."""
        return self.together.count(pair)

    def stands(self, pair: Pair) -> bool:
        """As `Segmentation` says, in development texts too."""
        return any(text is not None and text.stands(pair) for text in [self.together, *self.developments])

    def merge(self, pair: Pair, new: int) -> int:
        """As `Segmentation` says; the replacements in development texts do not count."""
        for language in self.languages:
            language.merge(pair, new)
        for place, text in enumerate(self.developments):
            length = self.lengths[place]
            if text is not None and length is not None:
                self.lengths[place] = length - text.merge(pair, new)
        return self.together.merge(pair, new)


def size(words: Words) -> int:
    """How many tokens these words are.

    >>> size([((1, 2, 3), 2), ((1,), 5)])
    11
    """
    return sum(len(ids) * count for ids, count in words)
