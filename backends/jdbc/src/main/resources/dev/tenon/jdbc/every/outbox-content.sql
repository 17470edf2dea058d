-- The first 4096 bytes of a message's body, and its headers.
SELECT SUBSTRING(body FROM 1 FOR 4096) AS head, OCTET_LENGTH(body) AS size, headers FROM tenon_outbox WHERE id = :id
