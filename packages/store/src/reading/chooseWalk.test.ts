import { expect, test } from 'vitest'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import { chooseWalk } from './chooseWalk.ts'
import type { ReadSession } from './session.ts'

const chainId = 5
const attestationCount = 150

/** A range that almost every attestation of the schema has a value of its own in. */
function rangeOf(operator: 'gte' | 'lte') {
  const condition: FieldCondition = { path: ['at'], operator, values: ['7'] }
  const lists = Array.from({ length: attestationCount - 4 }, (_, valueId) => {
    return { valueId, count: 1, schemaId: 1, chainId }
  })
  return { condition, lists, isDisjoint: true }
}

function choose(fields: ResolvedFilter['fields']) {
  const none = {
    attester: null,
    recipient: null,
    protocol: null,
    revoked: null,
    expired: null,
    validAt: null,
    revokedFrom: null,
    revokedBefore: null,
    from: null,
    before: null,
    linkedAttestations: null,
    recipientHolds: null,
    attesterHolds: null,
    indexingValue: null,
    dataLocation: null,
    portal: null,
    exceptSchemas: [],
    cut: null,
  }
  const schema = { id: 1, protocol: 'sign', attestationCount, fieldState: 2, isRegistered: true }
  // Of a session nothing else is asked for these filters.
  const session = {
    connection: { dialect: sqliteDialect },
    snapshot: { version: 1, attestationCount: 1_000, schemaCount: 1 },
  } as unknown as ReadSession
  const chain = { chainId, ordinal: 1, schemaCount: 1, attestationCount: 1_000, revocationCount: 0 }
  return chooseWalk(session, [chain], { ...none, schema, chainId, fields })
}

test('a range of many values is walked by its values, without a look into payloads', async () => {
  const { arms, decoded } = await choose([rangeOf('gte')])
  expect([arms.length, decoded]).toEqual([attestationCount - 4, []])
})

test('where payloads are decoded for another condition, the schema is walked instead of many small lists', async () => {
  const [from, to] = [rangeOf('gte'), rangeOf('lte')]
  const { arms, decoded } = await choose([from, to])
  expect([arms.length, decoded]).toEqual([1, [from.condition, to.condition]])
})
