"""How PostgreSQL finds an address: by a key of eight bytes. An index of the addresses themselves, which SQLite has (the
unique constraint in schema.py), takes there three to four times as much, and as much as the rows.

The key's first three bytes come from topic and host, so that the links of a page lie together. The others come from the
address by a cryptographic hash, so that nobody can make many addresses of one key, all of which would be read to find
one. Two addresses may have one key: so look-ups compare the address too (statements.py rewrites them), and the index is
not unique. An address comes in once because who adds is alone and looks first (frontier.new_urls).

Functions in the key must be IMMUTABLE: `convert_to`, the plain way from text to bytes, is not.
"""

from __future__ import annotations

from sqlalchemy import DDL, Index, event, func, text

from crawler.database.schema import metadata, urls

URL_KEY = DDL(  # type: ignore[no-untyped-call]
    r"""
CREATE OR REPLACE FUNCTION url_key(topic integer, address text) RETURNS bigint LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (hashtextextended(split_part(address, '/', 3), topic) << 40)
    | ('x' || encode(substr(sha256(replace(address, '\', '\\')::bytea), 1, 5), 'hex'))::bit(40)::bigint
"""
)

DROP_FORMER = text("ALTER TABLE urls DROP CONSTRAINT IF EXISTS urls_topic_url")  # by which it was found before 0019
Index("urls_address", func.url_key(urls.c.topic_id, urls.c.url)).ddl_if(dialect="postgresql")
event.listen(metadata, "before_create", URL_KEY.execute_if(dialect="postgresql"))
