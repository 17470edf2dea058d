@NullMarked
package dev.tenon.server.http;

import org.jspecify.annotations.NullMarked;
