-- Takes the next numbers of a sequence, in one round trip (routine/range-next.sql).
CALL tenon_range_next_1(:name, :count)
