-- Tells a process of a grant, as lock-release.sql does.
SELECT CAST(pg_notify('tenon_' || :channel, :message) AS text)
