"""A pipeline of the project's own. Of the topic spider it gets the kept pages, as plain items."""

from typing import Any

from itemadapter import ItemAdapter


class Shout:
    def process_item(self, item: Any) -> Any:
        adapter = ItemAdapter(item)
        adapter["title"] = adapter["title"].upper()
        return item
