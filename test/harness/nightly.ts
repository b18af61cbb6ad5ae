import { inject, test } from 'vitest'
// Declares the part of the histories that a run tries.
import '@attestry/store/testing/historyShare.ts'

/** Whether this is `npm run test:soak`, which tries every case. `npm test` has to end within minutes. */
export const isNightly = inject('historyShare') >= 1

/** A test of the nightly run only: `npm test` shows its mechanism by another. */
export const nightTest = isNightly ? test : test.skip

/** All cases in the nightly run; in `npm test` only the first `count`, which each show another part of the mechanism. */
export function firstCases<Case>(count: number, cases: readonly Case[]): Case[] {
  return isNightly ? [...cases] : cases.slice(0, count)
}
