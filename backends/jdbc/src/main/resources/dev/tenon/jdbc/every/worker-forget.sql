-- A request whose lease is over may claim another slot: its old one no longer goes by its name.
UPDATE tenon_worker SET request = NULL
WHERE group_name = :name AND request = :request AND lease_end <= :now
