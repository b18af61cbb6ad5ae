import fc from 'fast-check'

/** Below the timeout of a test, so that a slow search for a smaller counterexample ends in the report of one. */
const searchMillisecondsMax = 100_000

fc.configureGlobal({ interruptAfterTimeLimit: searchMillisecondsMax, markInterruptAsFailure: true })
