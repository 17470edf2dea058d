/**
 * Keys and routes for ShardingSphere, found by their types: {@link dev.tenon.shardingsphere.TenonKeyGenerateAlgorithm}
 * ({@code TENON}) and {@link dev.tenon.shardingsphere.GeneShardingAlgorithm} ({@code TENON_GENE}).
 */
@NullMarked
package dev.tenon.shardingsphere;

import org.jspecify.annotations.NullMarked;
