-- Every row that is begun from now on has a greater token than this.
UPDATE tenon_fence SET token = GREATEST(token, :token) WHERE id = 1
