import { describe } from 'vitest'
import { testFieldSetting } from './testFieldSetting.ts'
import { testAudit, type CreateAuditedStore } from './testAudit.ts'

/**
 * What every store must show of looking at it as a whole, and of mending it; `share` is as for `describeIndexStore`.
 */
export function describeIndexAudit(name: string, create: CreateAuditedStore, share = 1): void {
  describe(name, () => {
    testAudit(create, share)
    testFieldSetting(create, share)
  })
}
