import { describe } from 'vitest'
import { testTransfer, type CreateTransferStore } from './testTransfer.ts'

/** What every store must show of exports and imports; `share` is as for `describeIndexStore`. */
export function describeIndexTransfer(name: string, create: CreateTransferStore, share = 1): void {
  describe(name, () => {
    testTransfer(create, share)
  })
}
