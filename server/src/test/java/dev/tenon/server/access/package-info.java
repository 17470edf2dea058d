@NullMarked
package dev.tenon.server.access;

import org.jspecify.annotations.NullMarked;
