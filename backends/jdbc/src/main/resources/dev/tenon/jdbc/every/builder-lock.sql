-- The row of a code of the ID-builder service, which nobody else moves before this transaction ends.
SELECT current_threshold, step, biz_code, version, is_seq FROM t_id_builder_config WHERE id = :code FOR UPDATE
