-- As lock-renew.sql, for many leases in one round trip (routine/lock-renew-many.sql).
CALL tenon_lock_renew_many_1(:rows)
