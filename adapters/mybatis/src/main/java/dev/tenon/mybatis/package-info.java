/**
 * Identifiers for MyBatis ({@link dev.tenon.mybatis.TenonIdInterceptor}) and MyBatis-Plus ({@link
 * dev.tenon.mybatis.TenonIdentifierGenerator}).
 */
@NullMarked
package dev.tenon.mybatis;

import org.jspecify.annotations.NullMarked;
