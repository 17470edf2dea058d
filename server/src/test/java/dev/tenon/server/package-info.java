@NullMarked
package dev.tenon.server;

import org.jspecify.annotations.NullMarked;
