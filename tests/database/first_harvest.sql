-- A harvest of the first version of the schema, as it was made on SQLite, with a row in each table.
CREATE TABLE alembic_version ( version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num) );
CREATE TABLE topics ( id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name) );
CREATE TABLE hosts ( id INTEGER NOT NULL, name TEXT NOT NULL, next_due DOUBLE DEFAULT '0' NOT NULL, rest_until DOUBLE DEFAULT '0' NOT NULL, failures INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id), UNIQUE (name) );
CREATE TABLE queues ( topic_id INTEGER NOT NULL, host_id INTEGER NOT NULL, best_score DOUBLE, best_id INTEGER, served_at DOUBLE NOT NULL, waiting INTEGER DEFAULT '0' NOT NULL, done INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (topic_id, host_id), FOREIGN KEY(topic_id) REFERENCES topics (id), FOREIGN KEY(host_id) REFERENCES hosts (id) );
CREATE INDEX queues_best ON queues (topic_id, best_score DESC, best_id) WHERE best_id IS NOT NULL;
CREATE INDEX queues_served ON queues (topic_id, served_at, host_id) WHERE best_id IS NOT NULL;
CREATE TABLE urls ( id INTEGER NOT NULL, topic_id INTEGER NOT NULL, url TEXT NOT NULL, host_id INTEGER NOT NULL, state SMALLINT NOT NULL, score DOUBLE NOT NULL, depth INTEGER NOT NULL, distance INTEGER NOT NULL, hops SMALLINT NOT NULL, tries SMALLINT NOT NULL, not_before DOUBLE, lease_until DOUBLE, worker TEXT, found_at DOUBLE NOT NULL, via INTEGER, PRIMARY KEY (id), CONSTRAINT urls_topic_url UNIQUE (topic_id, url), FOREIGN KEY(topic_id) REFERENCES topics (id), FOREIGN KEY(host_id) REFERENCES hosts (id) );
CREATE INDEX urls_waiting ON urls (topic_id, host_id, score DESC, id) WHERE state = 0;
CREATE INDEX urls_in_flight ON urls (host_id, lease_until) WHERE state = 1;
CREATE INDEX urls_leases ON urls (topic_id, lease_until) WHERE state = 1;
CREATE INDEX urls_deferred ON urls (topic_id, not_before) WHERE state = 3;
CREATE TABLE pages ( id INTEGER NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, body BLOB, digest BLOB, published TEXT, language TEXT NOT NULL, author TEXT NOT NULL, kind TEXT NOT NULL, status SMALLINT NOT NULL, fetched_at DOUBLE NOT NULL, PRIMARY KEY (id), UNIQUE (url) );
CREATE INDEX pages_digest ON pages (digest) WHERE digest IS NOT NULL;
CREATE TABLE fetches ( id INTEGER NOT NULL, topic_id INTEGER NOT NULL, url_id INTEGER NOT NULL, at DOUBLE NOT NULL, outcome TEXT NOT NULL, counted BOOLEAN NOT NULL, status SMALLINT NOT NULL, seconds DOUBLE NOT NULL, size INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(topic_id) REFERENCES topics (id), FOREIGN KEY(url_id) REFERENCES urls (id) );
CREATE INDEX fetches_topic ON fetches (topic_id, counted);
CREATE TABLE judgements ( url_id INTEGER NOT NULL, fetch_id INTEGER NOT NULL, topic_id INTEGER NOT NULL, page_id INTEGER NOT NULL, outcome TEXT NOT NULL, duplicate_of INTEGER, similarity DOUBLE NOT NULL, text_relevance DOUBLE NOT NULL, on_topic BOOLEAN NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (url_id), FOREIGN KEY(url_id) REFERENCES urls (id), FOREIGN KEY(fetch_id) REFERENCES fetches (id), FOREIGN KEY(topic_id) REFERENCES topics (id), FOREIGN KEY(page_id) REFERENCES pages (id), FOREIGN KEY(duplicate_of) REFERENCES pages (id) );
CREATE INDEX judgements_page ON judgements (page_id, topic_id);
CREATE TABLE links ( url_id INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (url_id), FOREIGN KEY(url_id) REFERENCES urls (id) );
INSERT INTO alembic_version VALUES ('0001');
INSERT INTO topics VALUES (1, 't');
INSERT INTO hosts (id, name) VALUES (1, 'a.example');
INSERT INTO queues (topic_id, host_id, served_at, done) VALUES (1, 1, 0, 2);
INSERT INTO urls VALUES
    (1, 1, 'https://a.example/', 1, 2, 1, 0, 0, 0, 0, NULL, NULL, NULL, 5, NULL),
    (2, 1, 'https://a.example/post', 1, 2, 1, 1, 0, 0, 0, NULL, NULL, NULL, 6, 1);
INSERT INTO pages VALUES
    (1, 'https://a.example/', 'home', NULL, NULL, NULL, '', '', 'list', 200, 5),
    (2, 'https://a.example/post', 'post', x'00', x'01', NULL, 'zh', '', 'article', 200, 6);
INSERT INTO fetches VALUES
    (1, 1, 1, 5, 'off-topic', 1, 200, 1, 9, ''),
    (2, 1, 2, 6, 'kept', 1, 200, 1, 9, '');
INSERT INTO judgements VALUES (1, 1, 1, 1, 'off-topic', NULL, 0.1, 0, 0, ''), (2, 2, 1, 2, 'kept', NULL, 0.9, 0, 1, '');
INSERT INTO links VALUES (1, x'02');
