import { describe } from 'vitest'
import { testTransfer, type CreateTransferStore } from './testTransfer.ts'

/** The contract of exports and imports that every store must fulfil; `share` is as for `describeIndexStore`. */
export function describeIndexTransfer(name: string, create: CreateTransferStore, share = 1): void {
  describe(name, () => {
    testTransfer(create, share)
  })
}
