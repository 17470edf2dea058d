-- Moves a code on, unless somebody has moved it since it was read: not everybody who takes segments locks the row.
UPDATE t_id_builder_config
SET current_threshold = :threshold, version = :versionAfter, update_time = CURRENT_TIMESTAMP
WHERE id = :code AND COALESCE(version, 0) = :version
