/** Participants of transactions in a servlet container. */
@NullMarked
package dev.tenon.servlet;

import org.jspecify.annotations.NullMarked;
