-- Takes every one of these free locks, or none, in one round trip; the caller reads the answers off the rows, as they are
-- afterwards. It stops, and takes all back, at the first that can't be had so, or where there is something for the state
-- machine. asked: one a line, in the order of their names, so that nobody waits in a circle: name, request, owner, lease.
-- n0 and so on: the names again, and empty ones.
BEGIN NOT ATOMIC
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET @tenon_asked = :asked, @tenon_take = 1;
  START TRANSACTION;
  WHILE @tenon_asked <> '' AND @tenon_take = 1 DO
    SET @tenon_line = SUBSTRING_INDEX(@tenon_asked, CHAR(10 USING utf8mb4), 1);
    SET @tenon_asked = SUBSTRING(@tenon_asked, LOCATE(CHAR(10 USING utf8mb4), @tenon_asked) + 1);
    INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner, held_since, held_until,
                            waited, handed_to, touched_at, waiters)
    SELECT SUBSTRING_INDEX(SUBSTRING_INDEX(@tenon_line, CHAR(9 USING utf8mb4), 1), CHAR(9 USING utf8mb4), -1),
           GREATEST(n.now_at, n.fence + {stride}), 1,
           SUBSTRING_INDEX(SUBSTRING_INDEX(@tenon_line, CHAR(9 USING utf8mb4), 2), CHAR(9 USING utf8mb4), -1), :session,
           SUBSTRING_INDEX(SUBSTRING_INDEX(@tenon_line, CHAR(9 USING utf8mb4), 3), CHAR(9 USING utf8mb4), -1), n.now_at,
           n.now_at + CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(@tenon_line, CHAR(9 USING utf8mb4), 4), CHAR(9 USING utf8mb4), -1) AS SIGNED),
           0, NULL, n.now_at, ''
    FROM (SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) n
    ON DUPLICATE KEY UPDATE
      touched_at = IF((@tenon_take := IF(more = '' AND waiters = ''
          AND (holder_request IS NULL OR held_until <= GREATEST(VALUES(touched_at), touched_at)), 1, 0)) = 1,
          GREATEST(VALUES(touched_at), touched_at), touched_at),
      token = IF(@tenon_take = 1, GREATEST(touched_at, token + {stride}), token),
      version = IF(@tenon_take = 1, version + 1, version),
      holder_request = IF(@tenon_take = 1, VALUES(holder_request), holder_request),
      holder_session = IF(@tenon_take = 1, VALUES(holder_session), holder_session),
      holder_owner = IF(@tenon_take = 1, VALUES(holder_owner), holder_owner),
      held_since = IF(@tenon_take = 1, touched_at, held_since),
      held_until = IF(@tenon_take = 1, touched_at + VALUES(held_until) - VALUES(held_since), held_until),
      waited = IF(@tenon_take = 1, 0, waited),
      handed_to = IF(@tenon_take = 1, NULL, handed_to);
  END WHILE;
  IF @tenon_take = 1 THEN
    COMMIT;
  ELSE
    ROLLBACK;
  END IF;
  SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
         l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, c.now_at, c.fence
  FROM (SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) c
  LEFT JOIN tenon_lock l ON l.name IN (
    :n0, :n1, :n2, :n3, :n4, :n5, :n6, :n7, :n8, :n9, :n10, :n11, :n12, :n13, :n14, :n15, :n16, :n17, :n18, :n19,
    :n20, :n21, :n22, :n23, :n24, :n25, :n26, :n27, :n28, :n29, :n30, :n31, :n32, :n33, :n34, :n35, :n36, :n37, :n38, :n39,
    :n40, :n41, :n42, :n43, :n44, :n45, :n46, :n47, :n48, :n49, :n50, :n51, :n52, :n53, :n54, :n55, :n56, :n57, :n58, :n59,
    :n60, :n61, :n62, :n63, :n64, :n65, :n66, :n67, :n68, :n69, :n70, :n71, :n72, :n73, :n74, :n75, :n76, :n77, :n78, :n79,
    :n80, :n81, :n82, :n83, :n84, :n85, :n86, :n87, :n88, :n89, :n90, :n91, :n92, :n93, :n94, :n95, :n96, :n97, :n98, :n99);
END
