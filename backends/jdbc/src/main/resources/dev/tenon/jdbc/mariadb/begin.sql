-- How a script begins that is a transaction of its own.
DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
  ROLLBACK;
  RESIGNAL;
END;
START TRANSACTION;
