import fc from 'fast-check'

/**
 * Below the timeout of a test: a slow machine tries fewer random histories, and a slow search for a smaller
 * counterexample ends in the report of one.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 120_000 })
