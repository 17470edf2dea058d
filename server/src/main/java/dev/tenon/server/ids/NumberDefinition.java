package dev.tenon.server.ids;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A definition whose IDs are numbers of 63 bits. */
interface NumberDefinition extends GeneratorDefinition {
    /** A number as it is written: without a sign and without zeros in front. */
    Pattern CANONICAL = Pattern.compile("0|[1-9][0-9]{0,18}");

    /** The greatest number up to which a double holds each: 53 bits. */
    long DOUBLE_MAX = (1L << 53) - 1;

    /** Whether its numbers are above {@link #DOUBLE_MAX}, or will be. */
    boolean passesDoubles();

    @Override
    NumberIssuer issuer(String name, IdResources resources);

    /**
     * What a number says about itself.
     *
     * @throws IllegalArgumentException if this is not a number of this definition
     */
    Map<String, Object> parts(long number);

    @Override
    default Map<String, Object> parts(String text, IdResources resources) {
        Optional<String> type = label().publicType();
        if (type.isPresent()) {
            return parts(resources.publicKeys().number(type.get(), text));
        }
        if (CANONICAL.matcher(text).matches()) {
            try {
                return parts(Long.parseLong(text));
            } catch (NumberFormatException e) {
                // said below: 19 digits may be more than a long has
            }
        }
        throw new IllegalArgumentException("it must be \"" + lead() + "\" and a number up to " + Long.MAX_VALUE);
    }
}
