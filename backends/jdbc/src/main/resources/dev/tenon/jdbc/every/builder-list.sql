-- Every row of the ID-builder service: the codes whose first segments are fetched at the start.
SELECT id, current_threshold, step, biz_code, version, is_seq FROM t_id_builder_config ORDER BY id
