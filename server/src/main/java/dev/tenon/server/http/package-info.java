/**
 * The HTTP interface ({@code docs/server/README.md}): routes, strict reading of requests, problem documents. Start at
 * {@link dev.tenon.server.http.HttpApi}.
 */
@NullMarked
package dev.tenon.server.http;

import org.jspecify.annotations.NullMarked;
