-- Tells this process that its bell works: some proxies swallow LISTEN without a word.
SELECT CAST(pg_notify('tenon_' || :channel, '') AS text)
