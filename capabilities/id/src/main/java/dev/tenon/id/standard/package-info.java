/**
 * The identifiers that others have standardized: UUIDs of every version (RFC 9562), ULID, MongoDB's ObjectId, TypeID.
 * Start at {@link dev.tenon.id.standard.EpochUuidGenerator} for a primary key.
 */
@NullMarked
package dev.tenon.id.standard;

import org.jspecify.annotations.NullMarked;
