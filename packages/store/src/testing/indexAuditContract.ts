import { describe } from 'vitest'
import { testFieldSetting } from './testFieldSetting.ts'
import { testAudit, type CreateAuditedStore } from './testAudit.ts'

/** The contract of audits and repairs that every store must fulfil; `share` is as for `describeIndexStore`. */
export function describeIndexAudit(name: string, create: CreateAuditedStore, share = 1): void {
  describe(name, () => {
    testAudit(create, share)
    testFieldSetting(create, share)
  })
}
