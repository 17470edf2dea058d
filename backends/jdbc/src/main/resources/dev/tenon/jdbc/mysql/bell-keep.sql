-- Keeps the row of the bell locked until five seconds are over or a release breaks this statement (routine/bell-keep.sql).
CALL tenon_bell_keep_1(:channel)
