-- Waits for whoever is claiming this message or putting it off, and then sees what came of that.
SELECT behind FROM tenon_outbox WHERE id = :id FOR UPDATE
