-- The time.
SELECT {clock}
