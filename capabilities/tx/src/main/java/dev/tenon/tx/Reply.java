package dev.tenon.tx;

import java.util.Objects;

/** What a participant answers. Anything else, an exception above all, means: try again. */
public sealed interface Reply {
    /** The greatest number of characters of a result. */
    int RESULT_LENGTH_MAX = 10_000;

    /** It is done, now or earlier. HTTP: 200. */
    record Done(String result) implements Reply {
        /**
         * @throws IllegalArgumentException if the result is too long
         */
        public Done {
            Objects.requireNonNull(result, "result");
            if (result.length() > RESULT_LENGTH_MAX) {
                throw new IllegalArgumentException("A result has at most " + RESULT_LENGTH_MAX + " characters, not "
                        + result.length() + ": store the content elsewhere, and answer where it is");
            }
        }
    }

    /** It had no effect, and never will have. HTTP: 409. */
    record Refused(String reason) implements Reply {
        public Refused {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** It can't be done yet; nothing is wrong. HTTP: 425. */
    record NotYet(String reason) implements Reply {
        public NotYet {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** Done, with nothing to say. */
    static Reply done() {
        return new Done("");
    }

    /** Done, with a result that later steps see. */
    static Reply done(String result) {
        return new Done(result);
    }

    /** Refused for good. */
    static Reply refused(String reason) {
        return new Refused(reason);
    }

    /** Not yet. */
    static Reply notYet(String reason) {
        return new NotYet(reason);
    }
}
