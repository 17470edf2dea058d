/** What this server refuses, and how it says so (RFC 9457). */
@NullMarked
package dev.tenon.server.problem;

import org.jspecify.annotations.NullMarked;
