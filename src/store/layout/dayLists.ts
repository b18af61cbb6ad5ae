/**
 * How many entries of a list fall on each UTC day is kept among the counts of parts of lists while the whole list is
 * over the threshold of rank trees, with the day as the scope. This is added to a list's kind to name its counts by
 * day. Stored: never change it.
 */
export const dayKindOffset = 100
