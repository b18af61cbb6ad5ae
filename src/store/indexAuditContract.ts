import { describe } from 'vitest'
import { testAudit, type CreateAuditedStore } from './testing/testAudit.ts'

/** What every store must show of looking at it as a whole, and of mending it. */
export function describeIndexAudit(name: string, create: CreateAuditedStore): void {
  describe(name, () => {
    testAudit(create)
  })
}
