-- Keeps a definition; fails on its key if the name has one.
INSERT INTO tenon_definition (name, definition) VALUES (:name, :text)
