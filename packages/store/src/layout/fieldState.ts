/**
 * Whether the decoded fields of a schema's attestations are indexed; stored: never change a number. Invariants, after
 * every commit:
 * 1. `complete`: the rows of `field`, `field_value` and `field_posting` are those of all its attestations.
 * 2. `building`: they are those of its attestations whose row id is above `until_id` of the schema's row in
 *    `field_build`, and of those up to `(done_timestamp, done_id)`. Attestations written while an index is built have
 *    ids above; after a reorganisation they may have lower ones.
 * 3. `dropping`: they are leftovers, which nobody reads and later steps delete.
 * 4. `none`: there are no such rows. Every schema that is not registered has this state.
 */
export const fieldState = { none: 0, building: 1, complete: 2, dropping: 3 } as const

export type FieldState = (typeof fieldState)[keyof typeof fieldState]
