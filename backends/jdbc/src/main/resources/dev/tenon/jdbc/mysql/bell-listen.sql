-- Waits until the bell rings, then reads every lock that was handed to this process and not claimed yet (routine/bell-listen.sql).
CALL tenon_bell_listen_1(:channel, :told)
