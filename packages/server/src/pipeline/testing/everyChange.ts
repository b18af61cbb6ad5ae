import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'

/** A filter that every change passes. */
export const everyChange: ChangeFilter = {
  schema: null,
  attester: null,
  recipient: null,
  chainId: null,
  protocol: null,
  fields: [],
}
