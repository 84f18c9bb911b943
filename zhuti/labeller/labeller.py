"""A language model that answers whether a page belongs to a topic. An answer that is none of the codes alone teaches
nothing."""

from __future__ import annotations

from crawler.labels.labels import Answer
from crawler.topic.files import Topic
from zhuti.labeller.chat import Chat, Said

WORDS = 30  # of the topic
TASK = "You decide whether a web page belongs to a topic.\n"
CHOICES = (
    (Answer.YES, "the page is mainly about the topic"),
    (Answer.NO, "the page is about something else"),
    (Answer.UNSURE, "the text does not tell"),
)


class Labeller:
    """Asks one model about one topic."""

    def __init__(self, url: str, model: str, topic: Topic) -> None:
        """Raises LabelError."""
        self._chat = Chat(url, model)
        self._task = f"{TASK}{described(topic)}"
        self.model = model

    def ask(self, title: str, body: str) -> Said[Answer]:
        """Raises LabelError when the server cannot be asked."""
        return self._chat.choose(self._task, CHOICES, Answer.UNSURE, title, body)


def described(topic: Topic) -> str:
    """In a few lines, as a model is told."""
    words = topic.vector.heaviest(WORDS) if topic.vector else ()
    lines = {"Topic": topic.title or topic.name, "Description": topic.description, "Words": ", ".join(words)}
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
