@NullMarked
package dev.tenon.server.quota;

import org.jspecify.annotations.NullMarked;
