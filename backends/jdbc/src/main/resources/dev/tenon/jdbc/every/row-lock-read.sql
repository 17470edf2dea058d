-- Whose rows they are, as of now.
SELECT row_key, gid FROM tenon_row_lock WHERE row_key IN ({each}:row{end}) FOR UPDATE
