"""Trained numbers as JSON. A file is read once and checked; if it is refused, a sentence says how to make it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crawler.errors import ModelError

FORMAT = 1  # raised when a file of before cannot be read any more


def read_model(path: Path, name: str) -> dict[str, Any]:
    """Returns the model's numbers. Raises ModelError if the file is missing, broken, or of another model or format."""
    remedy = "make it anew with `scrapy train extraction --pages DIR`"
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(f"The model {path} is missing; {remedy}.") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"The model {path} cannot be read ({error}); {remedy}.") from error
    if not isinstance(data, dict) or data.get("model") != name or data.get("format") != FORMAT:
        raise ModelError(f"The file {path} holds no model {name!r} of format {FORMAT}; {remedy}.")
    return data


def broken(path: Path, error: Exception) -> ModelError:
    """Makes the error for a file whose numbers are not what the model needs."""
    return ModelError(
        f"The model {path} is broken ({type(error).__name__}: {error}); "
        "make it anew with `scrapy train extraction --pages DIR`."
    )


def write_model(path: Path, name: str, data: dict[str, Any]) -> None:
    """Writes one line for each key, so that two trainings can be compared by eye."""
    items = {"model": name, "format": FORMAT, **data}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in items.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
