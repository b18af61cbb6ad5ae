import { describe } from 'vitest'
import { testTransfer, type CreateTransferStore } from './testing/testTransfer.ts'

/** What every store must show of exports and imports. */
export function describeIndexTransfer(name: string, create: CreateTransferStore): void {
  describe(name, () => {
    testTransfer(create)
  })
}
