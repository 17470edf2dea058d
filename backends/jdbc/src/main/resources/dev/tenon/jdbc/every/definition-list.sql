-- Every definition; the caller sorts them, since databases disagree on the order of names.
SELECT name, definition FROM tenon_definition
